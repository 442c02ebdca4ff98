import Formats
import Support

/// A decoder and its formats. Each decoder is a constant in the format's folder, listed in `ImageDecoder.all`.
struct ImageDecoder: Sendable {
    typealias Rows =
        @Sendable (any ByteSource, ImageHeader, _ keepsProfile: Bool, DecodeOptions) throws -> any RowReader
    typealias Frames = @Sendable (any ByteSource, DecodeOptions) throws -> (any AnimationReader)?

    let formats: [ImageFormat]
    /// Loads the decoding library, and returns its name and version. Returns nil if the library is not installed, or if
    /// the format needs none.
    var library: @Sendable () -> String? = { nil }
    /// Whether reading all rows detects an incomplete file. Callers then need not check the end of the file first.
    var checksEnd = false
    /// Opens a picture, or the first frame of an animation, at full size, in the stored orientation and colours.
    let rows: Rows
    /// Opens an animation, or returns nil for a still picture. Nil for a format without animations.
    var frames: Frames?
    /// Counts the frames of an animation with less memory than `frames` needs. Nil for formats without such a shortcut.
    var frameCount: (@Sendable (_ source: any ByteSource) throws -> Int)?
}
