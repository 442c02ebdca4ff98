import Formats

extension PictureMetadata {
    /// What an upright copy of `size` keeps of its source's metadata: EXIF and XMP with orientation and dimensions put
    /// right, EXIF without its thumbnail. The profile is not the source's to give: the copy is in sRGB.
    public static func kept(from source: EmbeddedMetadata, size: PixelSize) -> PictureMetadata {
        PictureMetadata(
            exif: source.exif.flatMap(ExifBlock.init)?.upright(size: size).bytes,
            xmp: source.xmp.map { XMPPacket($0).upright.bytes })
    }

    /// Who holds the rights and who made it, as EXIF, and nothing else of the source's metadata: no places, no times,
    /// no devices.
    public static func rights(of source: EmbeddedMetadata) -> PictureMetadata {
        PictureMetadata(exif: ExifBlock.rights(copyright: source.copyright, artist: source.artist)?.bytes)
    }
}
