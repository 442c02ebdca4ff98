import Formats
import Support

/// A decoder for the pictures of a format: a constant in the format's folder, and a line of `ImageDecoder.all`.
struct ImageDecoder: Sendable {
    typealias Rows =
        @Sendable (any ByteSource, ImageHeader, _ keepsProfile: Bool, DecodeOptions) throws -> any RowReader
    typealias Frames = @Sendable (any ByteSource, DecodeOptions) throws -> (any AnimationReader)?

    let formats: [ImageFormat]
    /// Returns name and version of the library, after loading it; nil if it is not installed.
    var library: @Sendable () -> String? = { nil }
    /// Whether reading all rows refuses an incomplete file, so that its end need not be checked before.
    var checksEnd = false
    /// Opens a picture in full size, as stored; the first frame of an animation.
    let rows: Rows
    /// Opens an animation; nil for a still picture. Nil for a format without animations.
    var frames: Frames?
    /// Counts the frames of an animation without the memory that `frames` takes; nil if that is not possible.
    var frameCount: (@Sendable (_ source: any ByteSource) throws -> Int)?
}
