import HTTP
import Records
import Store
import Support

/// The JSON form of a document: `{"document":{…}}`, preceded by `"hmac"` if the document is signed.
extension RemoteDocument {
    func encoded(key: [UInt8]?) -> [UInt8] {
        let document = json.bytes
        return JSON.object([
            "hmac": key.map { .string(HMAC.hex(of: document, key: $0)) }, "document": .raw(document),
        ]).bytes
    }

    private var json: JSON {
        let subject = subject.fields
        return .object([
            "layout": .integer(1), "name": .string(name.digest), "kind": .string(subject.kind),
            "key": subject.key.map(JSON.string), "variant": subject.variant.map(JSON.string),
            "of_sha256": subject.of.map(JSON.string), "row": subject.row.map(JSON.string),
            "collection": subject.collection.map(JSON.string), "sha256": sha256.map(JSON.string),
            "bytes": sha256.map { _ in .integer(count) }, "body": body,
            "content_type": picture.map { .string($0.contentType) },
            "extension": picture.map { .string($0.fileExtension) }, "width": picture?.width.map(JSON.integer),
            "height": picture?.height.map(JSON.integer), "details": picture?.details.map(JSON.string),
            "url": url.map(JSON.string), "etag": validators.etag.map(JSON.string),
            "last_modified": validators.lastModified.map(JSON.string),
            "fetched_at": .string(fetchedAt.iso8601Milliseconds),
            "expires_at": expiresAt.map { .string($0.iso8601Milliseconds) },
            "must_revalidate": directives.mustRevalidate ? .bool(true) : nil,
            "immutable": directives.isImmutable ? .bool(true) : nil,
            "usable_until": directives.staleWhileRevalidateUntil.map { .string($0.iso8601Milliseconds) },
            "stands_in_until": directives.staleIfErrorUntil.map { .string($0.iso8601Milliseconds) },
            "vary": vary.map(JSON.string), "cost_ms": .integer(Int(cost.milliseconds)),
        ])
    }

    private var body: JSON? {
        guard case .inline(let bytes) = content else { return nil }
        return .string(Base64.encoded(bytes))
    }

    /// Decodes a document. Returns nil if its signature by `key` is missing or invalid. Throws `RemoteFailure.damaged`
    /// if the bytes are not a document with this name, a text field has control characters, or the address is invalid
    /// or has credentials.
    init?(_ bytes: [UInt8], named name: RemoteName, key: [UInt8]?) throws {
        guard let envelope = try? Record(parsing: bytes), let raw = envelope.raw("document"),
            let record = try? Record(parsing: raw)
        else { throw RemoteFailure.damaged("the bytes are not a document") }
        if let key {
            guard let hmac = envelope.string("hmac"), HMAC.matches(hmac, Array(raw), key: key) else { return nil }
        }
        guard record.integer("layout") == 1, record.string("name") == name.digest else {
            throw RemoteFailure.damaged("the document describes another entry")
        }
        for name in Self.texts where record.string(name)?.unicodeScalars.contains(where: \.isControl) == true {
            throw RemoteFailure.damaged("the field \"\(name)\" has control characters")
        }
        guard record.string("url").map(Self.isAddress) ?? true else {
            throw RemoteFailure.damaged("its url is invalid or contains credentials")
        }
        func time(_ field: FieldPath) -> Timestamp? { record.string(field).flatMap { Timestamp(iso8601: $0) } }
        guard let subject = Subject(record), let content = Content(record), let fetchedAt = time("fetched_at") else {
            throw RemoteFailure.damaged("the document lacks a required field")
        }
        self.init(
            name: name, subject: subject, content: content, picture: FileFacts(record), url: record.string("url"),
            validators: Validators(etag: record.string("etag"), lastModified: record.string("last_modified")),
            fetchedAt: fetchedAt, expiresAt: time("expires_at"),
            directives: CacheDirectives(
                mustRevalidate: record.bool("must_revalidate") ?? false,
                isImmutable: record.bool("immutable") ?? false, staleWhileRevalidateUntil: time("usable_until"),
                staleIfErrorUntil: time("stands_in_until")),
            vary: record.string("vary"),
            cost: .milliseconds(min(max(record.integer("cost_ms") ?? 0, 0), 86_400_000)))
    }

    /// The text fields. They must not have control characters, because they may be printed, stored or sent.
    private static let texts: [FieldPath] = [
        "kind", "key", "variant", "row", "collection", "content_type", "extension", "details", "url", "etag",
        "last_modified", "fetched_at", "expires_at", "usable_until", "stands_in_until",
    ]

    private static func isAddress(_ text: String) -> Bool { (try? WebURL(text)).map { $0.credentials == nil } ?? false }
}

extension RemoteDocument.Subject {
    /// The values of the JSON fields `kind`, `key`, `variant`, `of_sha256`, `row` and `collection`.
    fileprivate var fields:
        (kind: String, key: String?, variant: String?, of: String?, row: String?, collection: String?)
    {
        switch self {
        case .original(let key): ("original", key, nil, nil, nil, nil)
        case .variant(let name, let key, let sha256): ("variant", key, name, sha256, nil, nil)
        case .metadata(let name, let collection): ("metadata", nil, nil, nil, name, collection)
        case .list: ("list", nil, nil, nil, nil, nil)
        }
    }

    fileprivate init?(_ record: Record) {
        switch record.string("kind") {
        case "original":
            guard let key = record.string("key") else { return nil }
            self = .original(key: key)
        case "variant":
            guard let key = record.string("key"), let name = record.string("variant"),
                let sha256 = record.string("of_sha256")
            else { return nil }
            self = .variant(name: name, key: key, of: sha256)
        case "metadata":
            guard let name = record.string("row"), let collection = record.string("collection") else { return nil }
            self = .metadata(name: name, collection: collection)
        case "list": self = .list
        default: return nil
        }
    }
}

extension RemoteDocument.Content {
    fileprivate init?(_ record: Record) {
        if let body = record.string("body") {
            guard let bytes = Base64.decoded(body) else { return nil }
            self = .inline(bytes)
        } else {
            guard let sha256 = record.string("sha256"), sha256.isSHA256, let count = record.integer("bytes"), count >= 0
            else { return nil }
            self = .bytes(sha256: sha256, count: count)
        }
    }
}

extension FileFacts {
    /// Reads the facts about a picture, or returns nil if the document has none.
    fileprivate init?(_ record: Record) {
        guard let contentType = record.string("content_type"), let ending = record.string("extension") else {
            return nil
        }
        self.init(
            contentType: contentType, fileExtension: ending, width: record.integer("width"),
            height: record.integer("height"), details: record.string("details"))
    }
}
