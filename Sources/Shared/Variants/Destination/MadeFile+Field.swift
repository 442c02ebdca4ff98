import CacheTools
import Images
import Records
import Store

extension FileFacts {
    /// Creates the facts about a variant that are stored with its file.
    init(_ result: DownsampleResult) {
        var facts = Record()
        if let frames = result.frames {
            facts.set("frames", .integer(frames.output))
            facts.set("source_frames", .integer(frames.source))
        }
        if result.isTruncated { facts.set("truncated", .bool(true)) }
        if result.isDamaged { facts.set("damaged", .bool(true)) }
        if let hash = result.hash {
            facts.set("dominant_colour", .string(hash.dominantColour))
            facts.set("thumbhash", .string(hash.thumbHash))
        }
        self.init(
            contentType: result.format.contentType, fileExtension: result.format.fileExtension,
            width: result.size.width, height: result.size.height,
            details: facts.isEmpty ? nil : String(decoding: facts.line, as: UTF8.self))
    }
}

extension MadeFile {
    private var details: Record? { facts.details.flatMap { try? Record(parsing: Array($0.utf8)) } }

    var isDamaged: Bool { details?.bool("damaged") == true }

    /// The number of frames, which is 1 for a still picture.
    var frameCount: Int { details?.integer("frames") ?? 1 }

    /// Returns the variant's field in a record. By default, `status` is `made` for a new file, and `hit` for an
    /// existing file.
    func field(status: String? = nil) -> JSON {
        var field = Record()
        field.setPath("path", path)
        if let width = facts.width { field.set("width", .integer(width)) }
        if let height = facts.height { field.set("height", .integer(height)) }
        field.set("bytes", .integer(bytes))
        field.set("format", .string(String(facts.contentType.drop { $0 != "/" }.dropFirst())))
        field.set("status", .string(status ?? (isNew ? "made" : "hit")))
        if let details {
            for name in details.names {
                if let path = FieldPath(name), let raw = details.raw(path) { field.set(name, .raw(Array(raw))) }
            }
        }
        return .raw(field.line)
    }
}
