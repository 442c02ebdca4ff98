import Support

/// The directives of a server's `Cache-Control` (RFC 9111 §5.2.2) that concern a private cache.
///
/// Ignores unknown directives. If a directive is repeated, the most restrictive value applies. An invalid time is
/// treated as zero, which makes the answer stale (§4.2.1).
public struct CacheControl: Sendable, Hashable {
    /// The answer must not be stored.
    public private(set) var noStore = false
    /// A cache shared by several users must not store the answer.
    public private(set) var isPrivate = false
    /// The answer must be revalidated before each use. A field list, as in `no-cache="Set-Cookie"`, is ignored: the
    /// directive applies to the whole answer.
    public private(set) var noCache = false
    /// A cache that knows the status may store the answer and ignore `no-store` (§5.2.2.3).
    public private(set) var mustUnderstand = false
    /// A stale answer must be revalidated.
    public private(set) var mustRevalidate = false
    /// The freshness lifetime in seconds.
    public private(set) var maxAge: Int?
    /// The answer does not change while it is fresh (RFC 8246).
    public private(set) var isImmutable = false
    /// The number of seconds during which a stale answer may be used while it is revalidated (RFC 5861 §3).
    public private(set) var staleWhileRevalidate: Int?
    /// The number of seconds during which a stale answer may be used if the server fails (RFC 5861 §4).
    public private(set) var staleIfError: Int?

    /// Larger numbers of seconds are reduced to this value, 68 years (RFC 9111 §1.2.2).
    static let longestAge = Int(Int32.max)

    public init(_ headers: HTTPHeaders) { self.init(headers["Cache-Control"] ?? "") }

    public init(_ text: String) {
        for (name, value) in Self.directives(in: text) {
            switch name {
            case "no-store": noStore = true
            case "private": isPrivate = true
            case "no-cache": noCache = true
            case "must-revalidate": mustRevalidate = true
            case "must-understand": mustUnderstand = true
            case "max-age": maxAge = min(maxAge ?? .max, Self.seconds(value))
            case "immutable": isImmutable = true
            case "stale-while-revalidate": staleWhileRevalidate = min(staleWhileRevalidate ?? .max, Self.seconds(value))
            case "stale-if-error": staleIfError = min(staleIfError ?? .max, Self.seconds(value))
            // `s-maxage` and `proxy-revalidate` are for shared caches (§5.2.2.10, §5.2.2.8).
            default: break
            }
        }
        if mustUnderstand { noStore = false }
    }

    /// Parses a number of seconds (RFC 9111 §1.2.2); returns 0 for other text.
    static func seconds(_ text: String?) -> Int {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return 0 }
        return min(Int(text) ?? longestAge, longestAge)
    }

    /// Returns the directives in order, names in lower case, values unquoted. An unclosed quote extends to the end.
    private static func directives(in text: String) -> [(name: String, value: String?)] {
        var result: [(name: String, value: String?)] = []
        var name = ""
        var value: String?
        var isQuoted = false
        var isEscaped = false
        func end() {
            let word = name.filter { $0 != " " && $0 != "\t" }.lowercased()
            if !word.isEmpty { result.append((word, value)) }
            (name, value) = ("", nil)
        }
        for character in text {
            if isQuoted {
                if isEscaped {
                    value?.append(character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isQuoted = false
                } else {
                    value?.append(character)
                }
            } else if character == "," {
                end()
            } else if character == "\"" {
                isQuoted = true
                value = value ?? ""
            } else if value != nil {
                if character != " " && character != "\t" { value?.append(character) }
            } else if character == "=" {
                value = ""
            } else {
                name.append(character)
            }
        }
        end()
        return result
    }
}

extension HTTPHeaders {
    /// Returns the remaining freshness at `now`: `max-age`, else `Expires`, minus the age on arrival (RFC 9111 §4.2.1,
    /// §4.2.3). Negative if the response arrived stale; nil if the server specifies no lifetime.
    ///
    /// Ignores the age computed from `Date`, which may disagree with this machine's clock.
    public func freshness(now: Timestamp) -> Duration? {
        if let seconds = CacheControl(self).maxAge { return .seconds(seconds) - age }
        guard let text = self["Expires"] else { return nil }
        // A value other than a single date, such as `0`, is in the past (RFC 9111 §5.3).
        guard let end = HTTPDate.timestamp(text, now: now) else { return .zero - age }
        return end - (last("Date").flatMap { HTTPDate.timestamp($0, now: now) } ?? now) - age
    }

    /// The first member of `Age`, or zero if it is not a number (RFC 9111 §5.1).
    private var age: Duration {
        let first = self["Age"]?.prefix { $0 != "," }.filter { $0 != " " && $0 != "\t" }
        return .seconds(CacheControl.seconds(first))
    }
}
