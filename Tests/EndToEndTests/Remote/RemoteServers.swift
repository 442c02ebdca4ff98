import Libc
import Support
import TestSupport

/// A server program that a test starts on a free port. The server stops when this object is released.
final class StartedServer: Sendable {
    let port: UInt16
    let process: RunningTool

    /// Starts the program on a port that was just free. Tries up to five ports, because another process may take the
    /// port.
    ///
    /// - Parameters:
    ///   - isUp: whether the program answers.
    init(_ start: (UInt16) throws -> RunningTool, isUp: (RunningTool) -> Bool) throws {
        for _ in 0..<5 {
            let port = try LoopbackServer { _ in .text("") }.port
            let process = try start(port)
            if isUp(process) {
                self.port = port
                self.process = process
                return
            }
            process.kill(SIGKILL)
            _ = process.wait(deadline: .seconds(5))
        }
        throw SystemFailure(errno: EADDRINUSE, "start a server")
    }

    /// Kills the server, as a power failure would.
    func kill() {
        process.kill(SIGKILL)
        _ = process.wait(deadline: .seconds(5))
    }

    deinit { kill() }
}

/// nginx as a remote, with GET, HEAD and, by `dav_methods`, PUT.
final class NginxRemote: Sendable {
    let server: StartedServer
    let address: String
    private let home: ToolHome
    private let folder: String

    /// - Parameters:
    ///   - home: the home whose working folder contains nginx's configuration, its temporary files and the uploads.
    ///   - isEncrypted: whether to use TLS, with the certificates of `SecureServer.makeCertificates`.
    ///   - password: the required value of the header `Authorization`.
    ///   - folder: the folder for uploads.
    ///   - settings: additional lines for nginx's `location`.
    init(
        home: ToolHome, isEncrypted: Bool = false, password: String? = nil, folder: String = "dav",
        settings: String = ""
    ) throws {
        self.home = home
        self.folder = folder
        try home.write("\(folder)/keep", "")
        let paths = Self.temporaryPaths(folder, home)
        let check = password.map { "if ($http_authorization != \"\($0)\") { return 401; }" } ?? ""
        let certificate =
            isEncrypted
            ? "ssl_certificate \(home.path("good.pem")); ssl_certificate_key \(home.path("good.key"));" : ""
        server = try StartedServer { port in
            try home.write(
                "\(folder).conf",
                """
                daemon off; master_process off; pid \(home.path("\(folder).pid")); error_log stderr notice;
                events {}
                http {
                    \(paths)
                    access_log off;
                    client_max_body_size 0;
                    server {
                        listen 127.0.0.1:\(port)\(isEncrypted ? " ssl" : "");
                        \(certificate)
                        root \(home.path(folder));
                        location / { \(check) dav_methods PUT; create_full_put_path on; \(settings) }
                    }
                }
                """)
            return try home.start(
                "/usr/bin/env",
                [
                    "PATH=/usr/sbin:/usr/local/sbin:/usr/bin:/bin", "nginx", "-p", home.work, "-c",
                    home.path("\(folder).conf"),
                ], stdin: .empty)
        } isUp: {
            $0.waitForErrors("using the", within: .seconds(10))
        }
        address = "\(isEncrypted ? "https" : "http")://127.0.0.1:\(server.port)/"
    }

    /// The nginx settings that place its temporary files in the working folder of a home.
    static func temporaryPaths(_ prefix: String, _ home: ToolHome) -> String {
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(home.path("\(prefix)-\($0)"));" }.joined(separator: " ")
    }

    /// The uploaded files, relative to the folder.
    var files: [String] {
        home.folder.contents().compactMap { name in
            let prefix = "work/\(folder)/"
            return name.hasPrefix(prefix + "ac/") || name.hasPrefix(prefix + "cas/")
                ? String(name.dropFirst(prefix.count)) : nil
        }.sorted()
    }

    static let isPossible: Bool = {
        let script = "PATH=/usr/sbin:/usr/local/sbin:$PATH; nginx -V 2>&1 | grep -q http_dav_module"
        if let home = try? ToolHome(), (try? home.shell(script))?.status == 0 { return true }
        Log.standardError("\n*** NO NGINX: the tests of remotes over HTTP are SKIPPED. Install nginx to run them.\n\n")
        return false
    }()
}

/// Redis as a remote, without persistence.
final class RedisRemote: Sendable {
    let server: StartedServer
    let address: String

    /// - Parameter settings: additional command-line arguments.
    init(home: ToolHome, settings: [String] = [], user: String? = nil) throws {
        server = try StartedServer { port in
            try home.start(
                "/usr/bin/env",
                ["redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", home.work]
                    + settings, stdin: .empty)
        } isUp: { process in
            // Redis prints a line when it is ready.
            while let line = process.readLine(within: .seconds(10)) {
                if line.contains("Ready to accept connections") { return true }
            }
            return false
        }
        address = "redis://\(user.map { $0 + "@" } ?? "")127.0.0.1:\(server.port)/0"
    }

    static let isPossible: Bool = {
        if let home = try? ToolHome(), (try? home.shell("redis-server --version"))?.status == 0 { return true }
        Log.standardError(
            "\n*** NO REDIS: the tests of remotes on Redis are SKIPPED. Install redis-server to run them.\n\n"
        )
        return false
    }()
}
