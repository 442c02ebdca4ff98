import Support

/// What a server's `Cache-Control` says about keeping an answer (RFC 9111 §5.2.2), as far as it concerns a cache of
/// one's own. Pure.
///
/// Directives that are unknown mean nothing; of those that stand twice the most restrictive counts; a time that cannot
/// be read is none, so that the answer counts as old (§4.2.1).
public struct CacheControl: Sendable, Hashable {
    /// The answer must not be kept at all.
    public private(set) var noStore = false
    /// The server must be asked before each use; also where only some fields are named, which a cache may take as all.
    public private(set) var noCache = false
    /// Once old, the answer must not be used without the server's word.
    public private(set) var mustRevalidate = false
    /// Seconds for which the answer is fresh.
    public private(set) var maxAge: Int?
    /// The same for caches that several people share.
    public private(set) var sharedMaxAge: Int?

    /// What a number that does not fit counts as (RFC 9111 §1.2.2): 68 years.
    static let longestAge = Int(Int32.max)

    public init(_ headers: HTTPHeaders) { self.init(headers["Cache-Control"] ?? "") }

    public init(_ text: String) {
        for (name, value) in Self.directives(in: text) {
            switch name {
            case "no-store": noStore = true
            case "no-cache": noCache = true
            case "must-revalidate": mustRevalidate = true
            case "max-age": maxAge = min(maxAge ?? .max, Self.seconds(value))
            case "s-maxage": sharedMaxAge = min(sharedMaxAge ?? .max, Self.seconds(value))
            default: break
            }
        }
    }

    /// A number of seconds (RFC 9111 §1.2.2); 0 for what is none.
    static func seconds(_ text: String?) -> Int {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return 0 }
        return min(Int(text) ?? longestAge, longestAge)
    }

    /// The directives in their order, names in lower case, values without quotation marks. A comma within quotation
    /// marks parts nothing; a mark that is never closed holds all that follows.
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
    /// For how long the answer is fresh from `now` on, by what its server says: `max-age`, else `s-maxage`, else
    /// `Expires`, less the time that it has been on its way already (RFC 9111 §4.2.1, §4.2.3); nil if the server
    /// says nothing. Never less than zero.
    ///
    /// `Age` alone is believed for the way, not a `Date` that our clock may disagree with.
    public func freshness(now: Timestamp) -> Duration? {
        let control = CacheControl(self)
        let lifetime: Duration
        if let seconds = control.maxAge ?? control.sharedMaxAge {
            lifetime = .seconds(seconds)
        } else if let text = last("Expires") {
            // Whatever is no date, `0` above all, lies in the past (RFC 9111 §5.3).
            guard let end = HTTPDate.timestamp(text, now: now) else { return .zero }
            lifetime = end - (last("Date").flatMap { HTTPDate.timestamp($0, now: now) } ?? now)
        } else {
            return nil
        }
        return max(lifetime - .seconds(CacheControl.seconds(last("Age"))), .zero)
    }
}
