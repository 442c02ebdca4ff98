import Formats
import Records
import Store
import Support

/// What a record says of a GIF in its field `gif`.
struct GIFFacts: Sendable, Hashable {
    /// The canvas, which may be smaller than the resolution that was asked for.
    let size: PixelSize
    let frames: Int
    /// The sum of all delays as they are stored.
    let durationMilliseconds: Int
    /// How often it plays: 0 for ever, 1 once.
    let loop: Int
}

extension GIFFacts {
    init(_ gif: GIFStructure) {
        self.init(
            size: gif.canvas, frames: gif.frameCount, durationMilliseconds: gif.durationMilliseconds, loop: gif.plays)
    }

    /// From the note that an entry was kept with; from its file where the index was lost and restored without notes.
    /// Nil if that is no GIF. Throws `SystemFailure` where it cannot be read.
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

    /// `{"resolution":180,"width":180,"height":180,"frames":12,"duration_ms":1200,"loop":0,"placeholder":false}`
    ///
    /// - Parameters:
    ///   - resolution: the one that was asked for, which the key has.
    ///   - isPinned: told where it is so.
    func field(resolution: Resolution? = nil, isPlaceholder: Bool = false, isPinned: Bool = false) -> JSON {
        .object([
            "resolution": resolution.map { .integer($0.rawValue) }, "width": .integer(size.width),
            "height": .integer(size.height), "frames": .integer(frames), "duration_ms": .integer(durationMilliseconds),
            "loop": .integer(loop), "placeholder": .bool(isPlaceholder), "pinned": isPinned ? .bool(true) : nil,
        ])
    }

    /// The facts in one line, as the cache keeps them with the entry.
    var note: String { String(decoding: field().bytes, as: UTF8.self) }

    /// Reads a `note`; nil for anything else.
    init?(note: String) {
        guard let record = try? Record(parsing: note.utf8), let width = record.integer("width"),
            let height = record.integer("height"), let frames = record.integer("frames"),
            let duration = record.integer("duration_ms"), let loop = record.integer("loop")
        else { return nil }
        self.init(
            size: PixelSize(width: width, height: height), frames: frames, durationMilliseconds: duration, loop: loop)
    }
}
