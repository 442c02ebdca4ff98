import Formats
import Support

/// Returns the JPEG thumbnail in a picture's EXIF, which can be shown before the picture is decoded, and a header with
/// the thumbnail's size and orientation. Returns nil if there is no readable thumbnail. Takes a few small reads.
public func embeddedThumbnail(
    of source: some ByteSource, _ info: ImageHeader, limits: DecodeLimits = .standard
) -> (source: MemorySource, info: ImageHeader)? {
    guard let exif = try? EmbeddedMetadata.read(source).exif.flatMap({ ExifBlock($0) }), let bytes = exif.thumbnail
    else { return nil }
    let thumbnail = MemorySource(bytes)
    guard let own = try? inspect(thumbnail, limits: limits), own.format == .jpeg else { return nil }
    let header = ImageHeader(
        format: .jpeg, storedSize: own.storedSize,
        orientation: thumbnailOrientation(exif.thumbnailOrientation, own.storedSize, of: info), isAnimated: false,
        hasAlpha: false, dnlHeightOffset: own.dnlHeightOffset)
    return (thumbnail, header)
}

/// Returns the orientation of a thumbnail: its own tag, or the picture's orientation if there is no tag.
///
/// Some cameras set the tag to 1 although they store the thumbnail in the same orientation as the picture. The tag is
/// therefore ignored if it makes the thumbnail portrait and the picture is landscape, or vice versa.
func thumbnailOrientation(_ tag: Orientation?, _ stored: PixelSize, of picture: ImageHeader) -> Orientation {
    guard let tag else { return picture.orientation }
    let shown = tag.swapsAxes ? stored.swapped : stored
    let whole = picture.uprightSize
    let isOtherWay =
        shown.width > shown.height && whole.width < whole.height
        || shown.width < shown.height && whole.width > whole.height
    return isOtherWay ? picture.orientation : tag
}
