import Support

/// Why a preview was not made. The picture itself is not concerned.
enum PreviewFailure: Failure, Equatable {
    /// What is there does not lead to where the scan ends.
    case damaged
    /// A GIF whose first image leaves a part of the screen free, and has no colour left to say so.
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
        case .noFreeColour: "the GIF's first image leaves a part free and has 256 colours of its own"
        case .outOfMemory: "the system has no memory left for the preview"
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .damaged, .noFreeColour: .data
        case .outOfMemory: .temporary
        }
    }
}
