import Support

/// The user's header fields, and the origins that may receive them.
public struct UserHeaders: Sendable {
    private var ofOrigin: [WebURL.Origin: [HTTPHeader]] = [:]
    private var withoutOrigin: [HTTPHeader] = []
    /// Origins that the user gave with `http://`: see `HTTPRequest.cleartextOrigins`.
    public private(set) var cleartextOrigins: Set<WebURL.Origin> = []

    public init() {}

    public var needOrigin: Bool { !withoutOrigin.isEmpty }

    /// Whether any field without an origin is `Authorization`.
    public var authorizes: Bool { withoutOrigin.contains(where: \.isAuthorization) }

    public mutating func add(_ line: HeaderLine) { add(line.header, for: line.origin) }

    /// Adds the fields in a file, one per line. Ignores empty lines and lines that begin with `#`. Throws
    /// `UsageFailure` with file and line.
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

    /// Adds `Authorization: Bearer …` (RFC 6750 §2.1). Throws `UsageFailure` if the origin already has this field.
    public mutating func add(bearer token: String, for origin: WebURL.Origin? = nil) throws(UsageFailure) {
        let others = origin.map { ofOrigin[$0] ?? [] } ?? withoutOrigin
        if others.contains(where: \.isAuthorization) {
            let place = origin.map { " for \($0)" } ?? ""
            throw UsageFailure("--bearer-file and another \"Authorization\" header\(place) cannot be combined")
        }
        add(HTTPHeader("Authorization", "Bearer \(token)"), for: origin)
    }

    /// Adds the fields of `others`, except fields whose name already exists for the same origin.
    public mutating func add(missing others: UserHeaders) {
        withoutOrigin = Self.merged(withoutOrigin, others.withoutOrigin)
        ofOrigin.merge(others.ofOrigin, uniquingKeysWith: Self.merged)
        cleartextOrigins.formUnion(others.cleartextOrigins)
    }

    private static func merged(_ headers: [HTTPHeader], _ others: [HTTPHeader]) -> [HTTPHeader] {
        let names = Set(headers.map { $0.name.lowercased() })
        return headers + others.filter { !names.contains($0.name.lowercased()) }
    }

    private mutating func add(_ header: HTTPHeader, for origin: WebURL.Origin?) {
        guard let origin else { return withoutOrigin.append(header) }
        ofOrigin[origin, default: []].append(header)
        if origin.scheme == .http { cleartextOrigins.insert(origin) }
    }

    public mutating func removeAllWithoutOrigin() { withoutOrigin = [] }

    /// Assigns the fields without an origin to the common origin of these addresses, unless that origin already has a
    /// field of the same name. Throws `UsageFailure` if the addresses have different origins.
    public mutating func assign(to urls: [WebURL]) throws(UsageFailure) {
        guard needOrigin, let origin = urls.first?.origin else { return }
        if let other = urls.first(where: { $0.origin != origin })?.origin {
            throw UsageFailure(
                "--header and --bearer-file apply to a single server, but the addresses are from \(origin) and "
                    + "\(other); put the server before the header or the file, as in --header '\(origin) Name: value'")
        }
        ofOrigin[origin] = Self.merged(ofOrigin[origin] ?? [], withoutOrigin)
        removeAllWithoutOrigin()
    }

    public func headers(for url: WebURL) -> [HTTPHeader] { ofOrigin[url.origin] ?? [] }
}
