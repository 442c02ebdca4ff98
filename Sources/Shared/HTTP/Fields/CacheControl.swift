import Support

/// What a server's `Cache-Control` says about keeping an answer (RFC 9111 §5.2.2), as far as it concerns a private
/// cache. Pure.
///
/// Unknown directives are ignored; of a repeated directive the most restrictive counts; a time that cannot be read
/// counts as zero, so that the answer is stale (§4.2.1).
public struct CacheControl: Sendable, Hashable {
    /// The answer must not be kept at all.
    public private(set) var noStore = false
    /// The answer is for one user, so that a cache of several must not keep it.
    public private(set) var isPrivate = false
    /// The server must be asked before each use. If only some fields are named, that is taken to mean all of them.
    public private(set) var noCache = false
    /// A cache may keep the answer if it knows the status's meaning, and ignore `no-store` (§5.2.2.3).
    public private(set) var mustUnderstand = false
    /// Once stale, the answer must not be used without asking the server.
    public private(set) var mustRevalidate = false
    /// Seconds for which the answer is fresh.
    public private(set) var maxAge: Int?
    /// The answer does not change while it is fresh (RFC 8246).
    public private(set) var isImmutable = false
    /// How many seconds a stale answer may be used while it is revalidated (RFC 5861 §3).
    public private(set) var staleWhileRevalidate: Int?
    /// How many seconds a stale answer may be used if the server fails (RFC 5861 §4).
    public private(set) var staleIfError: Int?

    /// What a number that is too large counts as (RFC 9111 §1.2.2): 68 years.
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
            case "stale-while-revalidate":
                staleWhileRevalidate = min(staleWhileRevalidate ?? .max, Self.seconds(value))
            case "stale-if-error": staleIfError = min(staleIfError ?? .max, Self.seconds(value))
            // `s-maxage` and `proxy-revalidate` are for shared caches (§5.2.2.10, §5.2.2.8).
            default: break
            }
        }
        if mustUnderstand { noStore = false }
    }

    /// A number of seconds (RFC 9111 §1.2.2); 0 for anything else.
    static func seconds(_ text: String?) -> Int {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return 0 }
        return min(Int(text) ?? longestAge, longestAge)
    }

    /// The directives in their order, names in lower case, values without quotation marks. A comma within quotation
    /// marks separates nothing; a mark that is never closed includes all that follows.
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
    /// How long the answer is fresh from `now` on, as its server says: `max-age`, else `Expires`, less the time that it
    /// has already spent on its way (RFC 9111 §4.2.1, §4.2.3); negative if it arrived stale. Nil if the server says
    /// nothing.
    ///
    /// The time spent on its way is taken from `Age` only, not from `Date`, which our clock may disagree with.
    public func freshness(now: Timestamp) -> Duration? {
        let control = CacheControl(self)
        let lifetime: Duration
        if let seconds = control.maxAge {
            lifetime = .seconds(seconds)
        } else if let text = self["Expires"] {
            // Anything but one date, above all `0`, lies in the past (RFC 9111 §5.3).
            guard let end = HTTPDate.timestamp(text, now: now) else { return .zero - age }
            lifetime = end - (last("Date").flatMap { HTTPDate.timestamp($0, now: now) } ?? now)
        } else {
            return nil
        }
        return lifetime - age
    }

    /// The first member of `Age`, which takes one; zero if that is no number (RFC 9111 §5.1).
    private var age: Duration {
        let first = self["Age"]?.prefix { $0 != "," }.filter { $0 != " " && $0 != "\t" }
        return .seconds(CacheControl.seconds(first))
    }
}
