import Fetch
import Records
import Store
import Support
import Tools

/// Says all that a GIF's bytes tell, of exercises in the cache and of files: the work of `gif-cache info`.
public struct GIFInfoTool: CacheTool {
    /// The field with the words for a person, where those are wanted instead of JSON.
    public static let textField: FieldPath = "info_text"

    public let name = "gif-cache"
    private let gifs: KeptGIFs
    private let naming: GIFNaming
    private let writesText: Bool

    /// - Parameter writesText: sets `textField` rather than `info`.
    public init(gifs: KeptGIFs, naming: GIFNaming, writesText: Bool) {
        self.gifs = gifs
        self.naming = naming
        self.writesText = writesText
    }

    /// Whether an argument names a file: it has a slash or ends in `.gif`, which no id does. A record never does.
    public static func isFile(_ argument: String) -> Bool {
        argument.contains("/") || argument.lowercased().hasSuffix(".gif")
    }

    public func prepare(_ job: RecordJob) -> Prepared { .work { record, _ in try add(to: &record, job.argument) } }

    private func add(to record: inout Record, _ argument: String?) throws {
        let description = try describe(record, argument)
        if writesText {
            record.set(Self.textField.description, .string(description.text))
        } else {
            record.set("info", description.json)
        }
    }

    private func describe(_ record: Record, _ argument: String?) throws -> GIFDescription {
        if let argument, Self.isFile(argument) {
            return try GIFDescription(path: argument, interruption: gifs.caches.interruption)
        }
        let (id, resolution) = try naming.meant(by: argument, record)
        let found = try gifs.find(id, resolution, handingOut: false)
        return try GIFDescription(path: found.entry.path, gif: found.gif)
    }
}
