import Support
import TestSupport
import Testing

/// A way in which a server can delay a client, exhaust its memory or confuse it.
struct HostileMode: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The part of `--remote` before the host: a scheme, and possibly a password.
    let scheme: String
    let serve: @Sendable (LoopbackConnection) throws -> Void

    /// Starts the server. The address is valid while the server exists.
    func start() throws -> (server: LoopbackServer, address: String) {
        let server = try LoopbackServer(serve: serve)
        return (server, "\(scheme)127.0.0.1:\(server.port)")
    }
}

extension HostileMode {
    /// An HTTP server that calls `answer` for each request.
    private static func http(
        _ name: String, _ answer: @escaping @Sendable (LoopbackConnection) throws -> Void
    ) -> HostileMode {
        HostileMode(testDescription: "HTTP: \(name)", scheme: "http://") { connection in
            while try !connection.receive(atMost: 1 << 16).isEmpty { try answer(connection) }
        }
    }

    /// A Redis server that calls `answer` with the bytes of each command.
    private static func redis(
        _ name: String, password: String = "",
        _ answer: @escaping @Sendable (LoopbackConnection, String) throws -> Void
    ) -> HostileMode {
        HostileMode(testDescription: "Redis: \(name)", scheme: "redis://\(password)") { connection in
            while true {
                let bytes = try connection.receive(atMost: 1 << 16)
                if bytes.isEmpty { return }
                // The client waits for a reply before it sends the next command.
                if bytes.first == UInt8(ascii: "*") { try answer(connection, String(decoding: bytes, as: UTF8.self)) }
            }
        }
    }

    private static func redis(_ name: String, replies reply: String) -> HostileMode {
        redis(name) { connection, _ in try connection.send(reply) }
    }

    static let all: [HostileMode] = [
        http("says nothing") { $0.waitForClient() },
        HostileMode(testDescription: "HTTP: hardly reads", scheme: "http://", serve: hardlyReads),
        http("sends a header line byte by byte") { try $0.trickle(after: "HTTP/1.1 200 OK\r\nX-Long: ", "x") },
        http("sends header lines one by one") { try $0.trickle(after: "HTTP/1.1 200 OK\r\n", "X-More: 1\r\n") },
        http("never ends a header line") { try $0.flood(after: "HTTP/1.1 200 OK\r\nX-Long: ", "xxxxxxxx") },
        http("never ends the header") { try $0.flood(after: "HTTP/1.1 200 OK\r\n", "X-More: 1\r\n") },
        http("sends interim answers endlessly") { try $0.flood(after: "", "HTTP/1.1 100 Continue\r\n\r\n") },
        http("sends the body byte by byte") {
            try $0.trickle(after: "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "{\"a\"")
        },
        http("sends the body of a refusal byte by byte") {
            try $0.trickle(after: "HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n", "sorr")
        },
        http("never ends the body") { try $0.flood(after: "HTTP/1.1 200 OK\r\n\r\n", "{\"document\":\"") },
        http("announces a terabyte and sends nothing") {
            try $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
            $0.waitForClient()
        },
        HostileMode(testDescription: "HTTP: closes in the middle of the body", scheme: "http://") { connection in
            _ = try connection.receive(atMost: 1 << 16)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"document\":")
        },
        http("redirects in circles") {
            try $0.send("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
        },
        http("speaks another protocol") { try $0.send("220 mail.example.org ESMTP\r\n") },

        redis("says nothing") { connection, _ in connection.waitForClient() },
        redis("never answers AUTH", password: "secret@") { connection, _ in connection.waitForClient() },
        HostileMode(testDescription: "Redis: hardly reads", scheme: "redis://", serve: hardlyReads),
        redis("sends a line byte by byte") { connection, _ in try connection.trickle(after: "+", "O") },
        redis("sends a string byte by byte") { connection, _ in try connection.trickle(after: "$100000\r\n", "x") },
        redis("never ends a line") { connection, _ in try connection.flood(after: "+", "OKOKOKOK") },
        redis("never ends an error") { connection, _ in try connection.flood(after: "-ERR ", "no no no ") },
        redis("announces 4 GB and sends them") { connection, _ in
            try connection.flood(after: "$4294967296\r\n", "xxxxxxxx")
        },
        redis("announces 4 GB and sends nothing", replies: "$4294967296\r\n"),
        redis("announces a negative length", replies: "$-5\r\n"),
        redis("nests arrays endlessly") { connection, _ in try connection.flood(after: "", "*1\r\n") },
        redis("announces 2^31 elements") { connection, _ in try connection.flood(after: "*2147483648\r\n", ":1\r\n") },
        redis("answers every command with a number", replies: ":7\r\n"),
        redis("sends two replies at once", replies: "+OK\r\n+OK\r\n"),
        redis("sends unrequested messages", replies: ">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n"),
        redis("is loading for ever", replies: "-LOADING Redis is loading the dataset in memory\r\n"),
        redis("is busy for ever", replies: "-BUSY Redis is busy running a script\r\n"),
        HostileMode(testDescription: "Redis: closes in the middle of a reply", scheme: "redis://") { connection in
            _ = try connection.receive(atMost: 1 << 16)
            try connection.send("$1000\r\n{\"document\":")
        },
        redis("reports that another machine has every lease") { connection, command in
            let isStored = command.contains("PSETEX")
            try connection.send(command.contains("GETRANGE") ? "$0\r\n\r\n" : isStored ? "+OK\r\n" : ":0\r\n")
        },
    ]

    /// Reads a byte every 100 ms, to notice when the client disconnects.
    @Sendable private static func hardlyReads(_ connection: LoopbackConnection) throws {
        while try !connection.receive(atMost: 1).isEmpty { _ = connection.pause(.milliseconds(100)) }
    }
}

extension LoopbackConnection {
    fileprivate func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends a piece ten times per second until the client disconnects.
    fileprivate func trickle(after start: String, _ piece: String) throws {
        try send(start)
        while pause(.milliseconds(100)) { try send(piece) }
    }

    /// Sends a piece repeatedly until the client disconnects.
    fileprivate func flood(after start: String, _ piece: String) throws {
        let many = Array(String(repeating: piece, count: 8192).utf8)
        try send(start)
        while true { try send(many) }
    }
}
