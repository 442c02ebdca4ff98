import Formats
import Records
import Store
import Support

/// The properties of a GIF that the record field `gif` contains.
struct GIFFacts: Sendable, Hashable {
    /// The size of the canvas, which may be smaller than the requested resolution.
    let size: PixelSize
    let frames: Int
    /// The sum of the delays that the file contains.
    let durationMilliseconds: Int
    /// How many times the animation is played, or 0 for an endless loop.
    let loop: Int
}

extension GIFFacts {
    init(_ gif: GIFStructure) {
        self.init(
            size: gif.canvas, frames: gif.frameCount, durationMilliseconds: gif.durationMilliseconds, loop: gif.plays)
    }

    /// Reads the properties from the note in the index or, if the index was rebuilt and has no note, from the file.
    /// Returns nil if the file is not a GIF. Throws `SystemFailure` if the file cannot be read.
    init?(of entry: Entry) throws {
        if let facts = entry.details.flatMap(GIFFacts.init(note:)) {
            self = facts
            return
        }
        do {
            self = try GIFAcceptance.inspect(File.openInput(entry.path))
        } catch is GIFFailure {
            return nil
        }
    }

    /// Returns the value of the field, such as
    /// `{"resolution":180,"width":180,"height":180,"frames":12,"duration_ms":1200,"loop":0,"placeholder":false}`.
    ///
    /// - Parameter resolution: the requested resolution, which the entry's key contains.
    func field(resolution: Resolution? = nil, isPlaceholder: Bool = false, isPinned: Bool = false) -> JSON {
        .object([
            "resolution": resolution.map { .integer($0.rawValue) }, "width": .integer(size.width),
            "height": .integer(size.height), "frames": .integer(frames), "duration_ms": .integer(durationMilliseconds),
            "loop": .integer(loop), "placeholder": .bool(isPlaceholder), "pinned": isPinned ? .bool(true) : nil,
        ])
    }

    /// The properties as JSON, which the index stores with the entry.
    var note: String { String(decoding: field().bytes, as: UTF8.self) }

    /// Parses a `note`. Returns nil for other texts.
    init?(note: String) {
        guard let record = try? Record(parsing: note.utf8), let width = record.integer("width"),
            let height = record.integer("height"), let frames = record.integer("frames"),
            let duration = record.integer("duration_ms"), let loop = record.integer("loop")
        else { return nil }
        self.init(
            size: PixelSize(width: width, height: height), frames: frames, durationMilliseconds: duration, loop: loop)
    }
}
