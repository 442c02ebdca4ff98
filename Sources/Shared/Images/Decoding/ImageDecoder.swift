import Formats
import Support

/// The decoder of a format. Each is a constant in the format's folder and is listed in `ImageDecoder.all`.
struct ImageDecoder: Sendable {
    typealias Rows =
        @Sendable (any ByteSource, ImageHeader, _ keepsProfile: Bool, DecodeOptions) throws -> any RowReader
    typealias Frames = @Sendable (any ByteSource, DecodeOptions) throws -> (any AnimationReader)?

    let formats: [ImageFormat]
    /// Loads the library and returns its name and version; nil if it is not installed.
    var library: @Sendable () -> String? = { nil }
    /// Whether reading all rows detects an incomplete file. If so, the end of the file need not be checked first.
    var checksEnd = false
    /// Opens a picture, or the first frame of an animation, at full size and as stored.
    let rows: Rows
    /// Opens an animation, or returns nil for a still picture. Nil for a format without animations.
    var frames: Frames?
    /// Counts the frames of an animation with less memory than `frames` needs; nil if the format does not allow this.
    var frameCount: (@Sendable (_ source: any ByteSource) throws -> Int)?
}
