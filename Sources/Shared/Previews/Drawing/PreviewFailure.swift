import Support

/// The reason why a preview was not made. The download continues.
enum PreviewFailure: Failure, Equatable {
    /// The file is damaged or ends before the scan.
    case damaged
    /// The first image of a GIF does not cover the screen, and its palette has 256 colours, so no index is left for
    /// transparent pixels.
    case noFreeColour
    case outOfMemory

    var code: String {
        switch self {
        case .damaged: "preview-damaged"
        case .noFreeColour: "preview-colours"
        case .outOfMemory: "out-of-memory"
        }
    }

    var message: String {
        switch self {
        case .damaged: "the picture is damaged"
        case .noFreeColour:
            "the GIF's first image does not cover the canvas, and its palette of 256 colours has no free entry for the "
                + "transparent area"
        case .outOfMemory: "not enough memory for the preview"
        }
    }

    var exitCode: ExitCode { self == .outOfMemory ? .temporary : .data }
}
