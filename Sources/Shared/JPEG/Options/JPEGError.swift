/// A picture that this decoder cannot read.
public enum JPEGError: Error, Equatable {
    /// The bytes break a rule of the format; the fault is in libjpeg's wording if libjpeg has a warning for it.
    case corrupt(String)
    /// The bytes end before the picture does.
    case truncated
    /// A picture of a kind that no decoder reads; a noun phrase or a sentence.
    case unsupported(String)
    /// More scans than allowed.
    case tooManyScans(limit: Int)
}
