import Libc
import Support
import TestSupport
import Testing

/// An `openssl s_server` on a free port of 127.0.0.1, with a certificate of the given kind. Each file in its folder is
/// a complete response with headers. The server stops when this object is released.
final class SecureServer: Sendable {
    enum Certificate: String {
        case good, expired
        /// Issued for another host.
        case foreign
        /// Self-signed.
        case own
    }

    /// `https://127.0.0.1:PORT`.
    let address: String
    private let process: RunningTool

    /// - Parameter home: a home with the files of `makeCertificates`, and the responses in its working folder.
    init(_ certificate: Certificate, home: ToolHome) throws {
        process = try home.start(
            "/usr/bin/env",
            [
                "openssl", "s_server", "-HTTP", "-accept", "127.0.0.1:0", "-cert", "\(certificate.rawValue).pem",
                "-key", "\(certificate.rawValue).key",
            ], stdin: .pipe)
        // openssl prints `ACCEPT 127.0.0.1:PORT` once it listens.
        while let line = process.readLine(within: .seconds(30)) {
            guard line.hasPrefix("ACCEPT "), let colon = line.lastIndex(of: ":") else { continue }
            address = "https://127.0.0.1:\(line[line.index(after: colon)...])"
            return
        }
        let output = process.wait(deadline: .seconds(1))
        throw SystemFailure(errno: ECONNREFUSED, "start openssl s_server: \(output.stderr)", purpose: .openInput)
    }

    deinit {
        process.kill(SIGKILL)
        _ = process.wait(deadline: .seconds(5))
    }

    /// Creates a certificate authority (`ca.pem`) and the certificates in the working folder of `home`.
    static func makeCertificates(in home: ToolHome) throws {
        try home.shell(
            """
            set -e
            # An RSA key takes ten times as long.
            new() {
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -subj "/CN=$1" "${@:2}"
            }
            new ca -x509 -days 2 -out ca.pem -addext basicConstraints=critical,CA:TRUE
            new own -x509 -days 2 -out own.pem -addext subjectAltName=IP:127.0.0.1
            sign() {
                new "$1" -out "$1.csr"
                echo "subjectAltName=$2" > "$1.ext"
                openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -extfile "$1.ext" \
                    -out "$1.pem" "${@:3}"
            }
            sign good IP:127.0.0.1 -days 2
            sign foreign DNS:other.example -days 2
            # Older versions of openssl accept an end in the past only as a number of days, newer versions only as a
            # date.
            sign expired IP:127.0.0.1 -days -1 ||
                sign expired IP:127.0.0.1 -not_before 20240101000000Z -not_after 20240102000000Z
            """
        ).expect(0)
    }

    /// Whether openssl is installed. If not, prints once that tests are skipped.
    static let isPossible: Bool = {
        if let home = try? ToolHome(), (try? home.shell("openssl version"))?.status == 0 { return true }
        Log.standardError("\n*** NO OPENSSL: the tests on certificates are SKIPPED. Install openssl to run them.\n\n")
        return false
    }()
}
