import Formats
import Records

/// What a record says of a GIF in its field `gif`.
public struct GIFFacts: Sendable, Hashable {
    /// The canvas, which may be smaller than the resolution that was asked for.
    public let size: PixelSize
    public let frames: Int
    /// The sum of all delays as they are stored.
    public let durationMilliseconds: Int
    /// How often it plays: 0 for ever, 1 once.
    public let loop: Int

    public init(size: PixelSize, frames: Int, durationMilliseconds: Int, loop: Int) {
        self.size = size
        self.frames = frames
        self.durationMilliseconds = durationMilliseconds
        self.loop = loop
    }

    public init(_ gif: GIFStructure) {
        self.init(
            size: gif.canvas, frames: gif.frameCount, durationMilliseconds: gif.durationMilliseconds, loop: gif.plays)
    }

    /// `{"resolution":180,"width":180,"height":180,"frames":12,"duration_ms":1200,"loop":0,"placeholder":false}`
    ///
    /// - Parameters:
    ///   - resolution: the one that was asked for, which the key has.
    ///   - isPinned: told where it is so.
    public func field(
        resolution: Resolution? = nil, isPlaceholder: Bool = false, isPinned: Bool = false
    ) -> JSON {
        .object([
            "resolution": resolution.map { .integer($0.rawValue) }, "width": .integer(size.width),
            "height": .integer(size.height), "frames": .integer(frames), "duration_ms": .integer(durationMilliseconds),
            "loop": .integer(loop), "placeholder": .bool(isPlaceholder), "pinned": isPinned ? .bool(true) : nil,
        ])
    }

    /// The facts in one line, as the cache keeps them with the entry.
    public var note: String { String(decoding: field().bytes, as: UTF8.self) }

    /// Reads a `note`; nil for anything else.
    public init?(note: String) {
        guard let record = try? Record(parsing: note.utf8), let width = record.integer("width"),
            let height = record.integer("height"), let frames = record.integer("frames"),
            let duration = record.integer("duration_ms"), let loop = record.integer("loop")
        else { return nil }
        self.init(
            size: PixelSize(width: width, height: height), frames: frames, durationMilliseconds: duration, loop: loop)
    }
}
