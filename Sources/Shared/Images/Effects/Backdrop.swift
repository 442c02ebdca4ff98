/// The background of a picture in `ContentMode.contain`, behind its transparent pixels and beside it.
public enum Backdrop: Sendable, Hashable {
    case colour(RGB)
    /// The picture itself, blurred and scaled to cover the output.
    case blur
    /// The dominant colour of the picture.
    case dominant
}
