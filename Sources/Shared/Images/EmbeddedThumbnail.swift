import Formats
import Support

/// Returns the small JPEG in a picture's EXIF, which can be shown before the picture is decoded, and its header with
/// the orientation that it is shown in; nil if there is none that can be read. A few small reads.
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
        hasAlpha: false, lateHeightOffset: own.lateHeightOffset)
    return (thumbnail, header)
}

/// How a thumbnail is turned: as its own tag states, or like the picture without one. Some cameras write 1 into the
/// tag of a thumbnail that is stored like the picture: the tag does not count if it makes a wide picture high.
func thumbnailOrientation(_ tag: Orientation?, _ stored: PixelSize, of picture: ImageHeader) -> Orientation {
    guard let tag else { return picture.orientation }
    let shown = tag.swapsAxes ? stored.swapped : stored
    let whole = picture.uprightSize
    let isOtherWay =
        shown.width > shown.height && whole.width < whole.height
        || shown.width < shown.height && whole.width > whole.height
    return isOtherWay ? picture.orientation : tag
}
