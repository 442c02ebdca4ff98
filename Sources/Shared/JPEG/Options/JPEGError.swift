/// An error in the picture.
public enum JPEGError: Error, Equatable {
    /// The bytes violate the format. The message is libjpeg's warning, if libjpeg warns about the same error, without
    /// the words "Corrupt JPEG data".
    case corrupt(String)
    /// The file ends before the picture is complete.
    case truncated
    /// No decoder supports this kind of picture. The message is a noun phrase or a sentence.
    case unsupported(String)
    case tooManyScans(limit: Int)
}
