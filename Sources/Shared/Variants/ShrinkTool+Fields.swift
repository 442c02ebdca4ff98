import Store
import Fetch
import Tools
import Images
import Records

/// What a record says of a variant.
extension ShrinkTool {
    static func picture(_ result: DownsampleResult) -> FileFacts {
        FileFacts(
            contentType: result.format.contentType, fileExtension: result.format.fileExtension,
            width: result.size.width, height: result.size.height, details: facts(result))
    }

    static func field(_ entry: Entry, status: String) -> JSON {
        var field = Record()
        field.setPath("path", entry.path)
        if let width = entry.width { field.set("width", .integer(width)) }
        if let height = entry.height { field.set("height", .integer(height)) }
        field.set("bytes", .integer(entry.bytes))
        field.set("format", .string(String(entry.contentType.drop { $0 != "/" }.dropFirst())))
        field.set("status", .string(status))
        add(entry.details, to: &field)
        return .raw(field.line)
    }

    /// Adds what is kept as an object's text.
    static func add(_ facts: String?, to field: inout Record) {
        guard let facts, let record = try? Record(parsing: Array(facts.utf8)) else { return }
        for name in record.names {
            if let path = FieldPath(name), let raw = record.raw(path) { field.set(name, .raw(Array(raw))) }
        }
    }

    /// What there is to say of a variant beside its size, as an object's text; nil for nothing.
    static func facts(_ result: DownsampleResult) -> String? {
        var facts = Record()
        if let frames = result.frames {
            facts.set("frames", .integer(frames.output))
            facts.set("source_frames", .integer(frames.source))
        }
        if result.isTruncated { facts.set("truncated", .bool(true)) }
        if let hash = result.hash {
            facts.set("dominant_colour", .string(hash.dominantColour))
            facts.set("thumbhash", .string(hash.thumbHash))
        }
        return facts.isEmpty ? nil : String(decoding: facts.line, as: UTF8.self)
    }

    static func field(_ target: String, _ result: DownsampleResult, status: String) -> JSON {
        var field = Record()
        field.setPath("path", CacheKey.absolutePath(target))
        field.set("width", .integer(result.size.width))
        field.set("height", .integer(result.size.height))
        field.set("bytes", .integer(result.bytes))
        field.set("format", .string(result.format.rawValue))
        field.set("status", .string(status))
        add(facts(result), to: &field)
        return .raw(field.line)
    }
}
