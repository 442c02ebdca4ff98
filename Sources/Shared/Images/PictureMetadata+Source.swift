import Formats

extension PictureMetadata {
    /// What an upright copy of `size` keeps of its source's metadata: EXIF and XMP with orientation and dimensions put
    /// right, EXIF without its thumbnail.
    ///
    /// - Parameter profile: the source's, if the copy keeps its colours; nil where it has been converted to sRGB.
    public static func kept(
        from source: EmbeddedMetadata, size: PixelSize, profile: [UInt8]? = nil
    ) -> PictureMetadata {
        PictureMetadata(
            profile: profile,
            exif: source.exif.flatMap(ExifBlock.init)?.upright(size: size, isSRGB: profile == nil).bytes,
            xmp: source.xmp.map { XMPPacket($0).upright.bytes })
    }

    /// Who holds the rights and who made it, as EXIF, and nothing else of the source's metadata: no places, no times,
    /// no devices.
    public static func rights(of source: EmbeddedMetadata) -> PictureMetadata {
        PictureMetadata(exif: ExifBlock.rights(copyright: source.copyright, artist: source.artist)?.bytes)
    }
}
