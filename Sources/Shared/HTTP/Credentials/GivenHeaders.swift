import Support

/// The fields that a user wants sent, and the servers that may see them.
public struct GivenHeaders: Sendable {
    private var ofOrigin: [WebURL.Origin: [HTTPHeader]] = [:]
    /// For the one server that a run asks.
    private var ofTheRun: [HTTPHeader] = []

    public init() {}

    /// Whether there is a field without an origin: then all addresses of the run must have the same one.
    public var needOneOrigin: Bool { !ofTheRun.isEmpty }

    /// Whether a field without an origin says who asks.
    public var authorizes: Bool { ofTheRun.contains(where: \.isAuthorization) }

    public mutating func add(_ line: HeaderLine) {
        if let origin = line.origin {
            ofOrigin[origin, default: []].append(line.header)
        } else {
            ofTheRun.append(line.header)
        }
    }

    /// Adds the lines of a file: a field each, empty lines and those that begin with `#` left out. Throws
    /// `UsageFailure`, which names file and line.
    public mutating func add(file bytes: [UInt8], path: String) throws(UsageFailure) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let first = line.first(where: { $0 > 0x20 }), first != UInt8(ascii: "#") else { continue }
            guard let text = String(validating: line, as: UTF8.self) else {
                throw UsageFailure("\(path):\(index + 1): the line is not UTF-8")
            }
            add(try HeaderLine(text, source: "\(path):\(index + 1)"))
        }
    }

    /// Adds the token as `Authorization: Bearer …` (RFC 6750 §2.1) for the one server that the run asks. Throws
    /// `UsageFailure` where `Authorization` was given for it already.
    public mutating func add(bearer token: String) throws(UsageFailure) {
        if authorizes {
            throw UsageFailure("--bearer-file and a header \"Authorization\" exclude each other")
        }
        ofTheRun.append(HTTPHeader("Authorization", "Bearer \(token)"))
    }

    /// What is sent to the server of `url`. A field meant for its origin takes the place of the run's of that name.
    public func headers(for url: WebURL) -> [HTTPHeader] {
        guard let own = ofOrigin[url.origin] else { return ofTheRun }
        let names = Set(own.map { $0.name.lowercased() })
        return ofTheRun.filter { !names.contains($0.name.lowercased()) } + own
    }
}

/// The one origin of a run whose headers name none: that of the first address, whichever that is.
public final class SoleOrigin: Sendable {
    private let first = Monitor<WebURL.Origin?>(nil)

    public init() {}

    /// Takes an address into the run. Throws `UsageFailure` where its origin is another one than the first's.
    public func admit(_ url: WebURL) throws(UsageFailure) {
        let origin = url.origin
        let first = first.withLock { first in
            if first == nil { first = origin }
            return first
        }
        guard let first, first != origin else { return }
        throw UsageFailure(
            "--header, --header-file and --bearer-file are meant for one server, but there are addresses of \(first) "
                + "and of \(origin); use --header-for ORIGIN 'Name: value', or such lines in the file")
    }
}
