/// What fills the room beside a picture that is shown whole in a size of another shape (`ContentMode.contain`), and
/// lies beneath its transparent pixels.
public enum Backdrop: Sendable, Hashable {
    case colour(RGB)
    /// The picture itself, blurred, as large as it covers the size.
    case blur
    /// The colour that the picture is mostly made of.
    case dominant
}
