import Formats
import Support

/// How the pictures of a format are decoded.
///
/// Each decoder is a constant in a folder of its own and a line of `ImageDecoder.all`.
struct ImageDecoder: Sendable {
    typealias Rows = @Sendable (any ByteSource, ImageHeader, _ keepsProfile: Bool, DecodeOptions) throws -> any RowReader
    typealias Frames = @Sendable (any ByteSource, DecodeOptions) throws -> (any AnimationReader)?

    let formats: [ImageFormat]
    /// Returns name and version of the library, and loads it; nil if it is not installed.
    var library: @Sendable () -> String? = { nil }
    /// Whether reading all rows refuses an incomplete file, so that its end need not be checked before.
    var findsEnd = false
    /// Opens a picture at its full size, as stored; the first frame of an animation.
    let rows: Rows
    /// Opens an animation; nil for a still picture. Nil for a format without animations.
    var frames: Frames?
    /// Counts the frames of an animation without the memory that `frames` takes; nil if that is not possible.
    var frameCount: (@Sendable (_ source: any ByteSource) throws -> Int)?
}
