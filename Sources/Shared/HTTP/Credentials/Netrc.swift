import Support

/// The user names and passwords in a `.netrc` file (ftp(1)), in the syntax that curl reads. Unlike curl, ignores
/// `default`.
public struct Netrc: Sendable, Hashable {
    private var machines: [String: [WebURL.Credentials]] = [:]

    /// Parses `machine`, `login`, `password`, `account`, `macdef` with its lines, comments from a `#` that begins a
    /// word to the end of the line, and values in double quotes with `\` as the escape character.
    ///
    /// Ignores a `default` entry, because it names no server: its password would be sent to any address in a record.
    public init(_ bytes: [UInt8]) {
        var words = Words(bytes)
        var machine: String?
        var login: String?
        var password: String?
        func finish(_ machines: inout [String: [WebURL.Credentials]]) {
            if let machine, login != nil || password != nil {
                machines[machine, default: []].append(WebURL.Credentials(user: login ?? "", password: password ?? ""))
            }
            (login, password) = (nil, nil)
        }
        while let word = words.next() {
            switch word {
            case "machine":
                finish(&machines)
                machine = words.next().map { InternationalName.comparable($0) }
            case "default":
                finish(&machines)
                machine = nil
            case "login": login = words.next()
            case "password": password = words.next()
            case "account": _ = words.next()
            case "macdef": words.skipMacro()
            default: break
            }
        }
        finish(&machines)
    }

    /// Returns the first entry for the URL's host. If the URL has a user, the entry must be for that user.
    public func credentials(for url: WebURL) -> WebURL.Credentials? {
        let entries = machines[url.hostWithoutDot] ?? []
        guard let user = url.credentials?.user else { return entries.first }
        return entries.first { $0.user == user }
    }

    private struct Words {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        mutating func next() -> String? {
            while let first = rest.first {
                if first == UInt8(ascii: "#") {
                    rest = rest.drop { $0 != UInt8(ascii: "\n") }
                } else if first <= 0x20 {
                    rest.removeFirst()
                } else {
                    return first == UInt8(ascii: "\"") ? quoted() : plain()
                }
            }
            return nil
        }

        /// A macro ends at an empty line.
        mutating func skipMacro() {
            var isLineEmpty = false
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "\n") else {
                    isLineEmpty = isLineEmpty && byte <= 0x20
                    continue
                }
                if isLineEmpty { return }
                isLineEmpty = true
            }
        }

        private mutating func plain() -> String {
            let word = rest.prefix { $0 > 0x20 }
            rest = rest[word.endIndex...]
            return String(decoding: word, as: UTF8.self)
        }

        private mutating func quoted() -> String {
            rest.removeFirst()
            var word: [UInt8] = []
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                    word.append(byte)
                    continue
                }
                switch escaped {
                case UInt8(ascii: "n"): word.append(0x0A)
                case UInt8(ascii: "r"): word.append(0x0D)
                case UInt8(ascii: "t"): word.append(0x09)
                default: word.append(escaped)
                }
            }
            return String(decoding: word, as: UTF8.self)
        }
    }
}
