import Articles
import CacheTools
import HTTP
import Records
import Support

/// Extracts the public part of a record, which contains the texts and public addresses, but no keys, scopes, private
/// addresses or local paths.
struct Publication {
    /// The fields from which the texts of other programs' records are read.
    let fields: [GalleryText: [FieldPath]]
    var groupField: FieldPath?

    /// Whether pictures have dates.
    var hasDates: Bool { !fields[.date, default: []].isEmpty }

    /// Returns the fields of a text in a record. The records that a gallery writes, or makes for a file, have their own.
    private func fields(_ text: GalleryText, _ record: Record, isOfFile: Bool) -> [FieldPath] {
        let fields = fields[text, default: []]
        return !fields.isEmpty && (isOfFile || record.raw("gallery.key") != nil) ? [text.field] : fields
    }

    /// Returns the fields that pages use, under the names that they have in the records of apod-fetch.
    ///
    /// - Parameter isOfFile: whether the texts come from the metadata of a file, under these names.
    func record(of record: Record, isOfFile: Bool = false) -> Record {
        func fields(_ text: GalleryText) -> [FieldPath] { self.fields(text, record, isOfFile: isOfFile) }
        var published = Record()
        let article = Article(paragraphs: paragraphs(record, fields(.text)))
        let text = article.paragraphs.isEmpty ? nil : article.text
        let isExplanation = text != nil && text == record.string("explanation")
        let ownLayout = article.paragraphs.count > 1 ? article.layout : nil
        let layout = isExplanation ? text.flatMap { Self.layout(of: record, $0) } : ownLayout
        published.set([
            "date": day(of: record, isOfFile: isOfFile).map { .string($0.description) },
            "title": self.text(record, fields(.title)).map { .string($0) },
            "explanation": text.map { .string($0) },
            "credit": self.text(record, fields(.credit)).map { .string($0) },
            "copyright": self.text(record, ["copyright"]).map { .string($0) },
            "license": self.text(record, fields(.licence)).map { .string($0) },
            "camera": self.text(record, fields(.camera)).map { .string($0) },
            "groups": GroupName.value(groups(of: record)),
            "alt": self.text(record, ["alt"]).map { .string($0) },
            "media_type": self.text(record, ["media_type"]).map { .string($0) },
            "url": Self.address(record.string("url")).map { .string($0) },
            "hdurl": Self.address(record.string("hdurl")).map { .string($0) },
            "permalink": fields(.link).lazy.compactMap { Self.address(record.string($0)) }.first.map {
                .string($0)
            },
            "apod": layout.map { .raw($0.line) },
            "error": Self.error(of: record),
        ])
        return published
    }

    private func text(_ record: Record, _ fields: [FieldPath]) -> String? {
        for field in fields {
            let text = PlainText.folded(record.strings(field).joined(separator: " "))
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// Returns the groups of a record. They are in the field `groups` if a gallery wrote the record.
    private func groups(of record: Record) -> [GroupName] {
        let isWritten = record.raw("gallery.key") != nil && record.raw("groups") != nil
        return (isWritten ? "groups" : groupField).map { GroupName.names(record.texts($0)) } ?? []
    }

    /// Returns the paragraphs of the first field that has a text. Each element of a list is a paragraph. A single text
    /// is divided at blank lines. If it has no blank line, each line is a paragraph.
    private func paragraphs(_ record: Record, _ fields: [FieldPath]) -> [LinkedText] {
        for field in fields {
            var parts = record.strings(field)
            if parts.count == 1 {
                let lines = parts[0].split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                    .map { PlainText.folded(String($0)) }
                let groups = lines.split(separator: "").map { $0.joined(separator: " ") }
                parts = groups.count > 1 ? groups : lines
            }
            let paragraphs = parts.map(PlainText.folded).filter { !$0.isEmpty }.map { LinkedText($0) }
            if !paragraphs.isEmpty { return paragraphs }
        }
        return []
    }

    /// Returns the day of a record, which is read from the first ten characters of a date or time.
    func day(of record: Record, isOfFile: Bool = false) -> CalendarDay? {
        fields(.date, record, isOfFile: isOfFile).lazy.compactMap { field in
            record.string(field).flatMap { CalendarDay($0.prefix(10)) }
        }.first
    }

    /// Returns the layout of a text, with its paragraphs and its links to public addresses. Returns nil if the text has
    /// one paragraph and no such links.
    private static func layout(of record: Record, _ text: String) -> Record? {
        guard let apod = record.raw("apod").flatMap({ try? Record(parsing: $0) }) else { return nil }
        let paragraphs = Article(text, layout: apod).paragraphs.map { $0.mapLinks(address) }
        let layout = Article(paragraphs: paragraphs).layout
        return layout.isEmpty ? nil : layout
    }

    // MARK: Addresses

    /// Returns the address if it is public, otherwise nil. A public address has a public host, and no user, password or
    /// key.
    static func address(_ text: String?) -> String? {
        guard let text = MediaAddress(text)?.text, let url = try? WebURL(text), url.credentials == nil,
            isPublic(url)
        else { return nil }
        let shown = url.withoutSecrets
        return shown.hasSecrets ? nil : shown.description
    }

    private static func isPublic(_ url: WebURL) -> Bool {
        if let address = url.address { return AddressClass(address) == .global }
        let labels = url.host.split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return false }
        // The names that RFC 6762, RFC 6761 and RFC 8375 define, and the names that ICANN reserves for private
        // networks.
        return !["local", "localhost", "internal", "lan", "home", "corp", "intranet", "private", "test"].contains(last)
            && !url.host.hasSuffix("home.arpa")
    }

    // MARK: Failures

    private static func error(of record: Record) -> JSON? {
        guard record.hasError else { return nil }
        let paths = ["path", "cache.path"].compactMap { record.string($0) }
        return .object([
            "tool": record.string("error.tool").map { .string($0) },
            "code": record.string("error.code").map { .string($0) },
            "message": .string(withoutRemedy(words(record.string("error.message") ?? "", paths: paths))),
            "transient": record.bool("error.transient").map { .bool($0) },
            "exit": record.integer("error.exit").map { .integer($0) },
        ])
    }

    /// Removes the parts of a message that name options and settings, because visitors cannot use them.
    private static func withoutRemedy(_ message: String) -> String {
        let parts = message.split(separator: "; ")
        let shown = parts.filter { !$0.contains(text: " --") && !$0.contains(text: "APOD_TOOLS_") }
        return shown.isEmpty ? message : shown.joined(separator: "; ")
    }

    /// Returns whether a word is a private host without a scheme, such as `127.0.0.1:8080`.
    private static func isPrivateServer(_ word: String) -> Bool {
        // Other words with dots or colons may be numbers or times, such as `10.5` and `10:30`.
        let isHost = word.hasPrefix("localhost") || word.hasPrefix("[") || word.split(separator: ".").count == 4
        guard isHost, let url = try? WebURL("http://\(word)") else { return false }
        return url.address != nil && !isPublic(url) || url.host == "localhost"
    }

    /// Removes paths and private addresses from a message.
    ///
    /// - Parameter paths: known paths that the message may contain. Any other path is recognised if it begins with a
    ///   slash. If such a path contains spaces, its last component may be removed only in part.
    static func words(_ message: String, paths: [String] = []) -> String {
        let known = paths.filter { $0.contains("/") && $0.utf8.count > 1 }
        let message = known.reduce(message) { $0.replacing(text: $1, with: "…") }
        var words = PlainText.folded(message).split(separator: " ")[...]
        var shown: [String] = []
        while let word = words.popFirst() {
            let name = String(word.bare.withoutPunctuation)
            if isPath(word) {
                shown.append("…")
                // The path may contain spaces, so remove all words up to the last slash.
                if word.withoutPunctuation == word {
                    let rest = words.prefix { !isPath($0) && !String($0.bare).hasScheme }
                    if let last = rest.lastIndex(where: { $0.contains("/") }) { words = words[(last + 1)...] }
                }
            } else if name.hasScheme && address(name) == nil || isPrivateServer(name) {
                shown.append("…")
            } else {
                shown.append(String(word))
            }
        }
        return shown.joined(separator: " ")
    }

    private static func isPath(_ word: Substring) -> Bool { word.bare.hasPrefix("/") && word.bare.utf8.count > 1 }
}

extension Substring {
    /// The text without opening quotation marks and parentheses.
    fileprivate var bare: Substring { drop { "(\"'".unicodeScalars.contains($0.unicodeScalars.first!) } }

    fileprivate var withoutPunctuation: Substring {
        var rest = self
        while let last = rest.unicodeScalars.last, ":;,.)\"'".unicodeScalars.contains(last) {
            rest.unicodeScalars.removeLast()
        }
        return rest
    }
}
