import Formats
import TestSupport

/// The picture as a file of that format.
func encoded(_ picture: DrawnPicture, _ format: ImageFormat) throws -> [UInt8] {
    picture.png()
}
