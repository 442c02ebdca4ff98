import Fetch
import Records

/// Says all that is known of each record's picture, without the network: the work of `img-cache info`.
public struct InfoTool: CacheTool {
    /// The field with the words for a person, where those are wanted instead of JSON.
    public static let textField: FieldPath = "info_text"

    public let name = "img-cache"
    private let caches: Caches
    private let rules: CacheItem.Rules
    private let hashes: Bool
    private let writesText: Bool

    /// - Parameters:
    ///   - hashes: reads each file, and compares its SHA-256.
    ///   - writesText: sets `textField` rather than `info`.
    public init(caches: Caches, rules: CacheItem.Rules, hashes: Bool, writesText: Bool) {
        self.caches = caches
        self.rules = rules
        self.hashes = hashes
        self.writesText = writesText
    }

    public func prepare(_ job: RecordJob) -> Prepared {
        .work { record, _ in
            let (entry, cache) = try caches.find(job, rules, handingOut: false)
            let details = try EntryDetails(entry, in: cache, hashing: hashes)
            if writesText {
                record.set(Self.textField.description, .string(details.text(now: .now())))
            } else {
                record.set("info", details.json)
            }
        }
    }
}
