import Formats
import Images
import Store
import Support

/// A picture that is opened and inspected on first use. Methods throw `ImageError`, `FormatFailure`, and the errors of
/// `open`. Not thread-safe.
final class PictureSource: VariantSource {
    private let maker: VariantMaker
    private let isThumbnail: Bool
    private let open: () throws -> (any ByteSource, ImageHeader)
    private var opened: (source: any ByteSource, info: ImageHeader)?

    private init(_ maker: VariantMaker, isThumbnail: Bool, open: @escaping () throws -> (any ByteSource, ImageHeader)) {
        self.maker = maker
        self.isThumbnail = isThumbnail
        self.open = open
    }

    /// - Parameter open: opens the picture. Called on first use, and again only after it has thrown an error.
    convenience init(_ maker: VariantMaker, open: @escaping () throws -> any ByteSource) {
        self.init(maker, isThumbnail: false) {
            let source = try open()
            return (source, try inspectWhole(source, options: maker.options, page: maker.encodeSettings.frame ?? 0))
        }
    }

    private func picture() throws -> (source: any ByteSource, info: ImageHeader) {
        if let opened { return opened }
        let picture = try open()
        opened = picture
        return picture
    }

    func info() throws -> ImageHeader { try picture().info }

    func byteCount() throws -> Int { try picture().source.count }

    /// Returns the embedded thumbnail, rotated like the picture, or nil if the picture has no thumbnail.
    func thumbnail() -> PictureSource? {
        guard let (source, info) = try? picture(),
            let thumbnail = embeddedThumbnail(of: source, info, limits: maker.options.limits)
        else { return nil }
        return PictureSource(maker, isThumbnail: true) { (thumbnail.source, thumbnail.info) }
    }

    /// Returns the SHA-256 of the file.
    func content() throws -> String { try BlobStore.sha256(of: picture().source) }

    func key(_ variant: Variant) -> String { (isThumbnail ? "thumbnail;" : "") + maker.key(variant) }

    func format(of variant: Variant) throws -> OutputFormat { maker.format(of: variant, source: try info()) }

    func make(_ requests: [VariantMaker.Request], done: (Int, DownsampleResult) throws -> Void) throws {
        let (source, info) = try picture()
        do {
            try maker.make(source, info, requests, done: done)
        } catch let error as ImageError where info.format.decoderChecksEnd {
            // For these formats, inspection does not check the end of the file. The decoder does, but may have failed
            // before it reached the end. If the file is truncated, report that instead of the decoder's error.
            var checked = info
            try maker.options.checkEnd(of: source, &checked)
            throw error
        }
    }
}
