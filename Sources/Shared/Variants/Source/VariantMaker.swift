import Formats
import Images
import Support

/// Makes any number of variants of a picture with a single decoding.
public struct VariantMaker: Sendable {
    public struct Request {
        public var variant: Variant
        /// The sink for the encoded bytes.
        public var sink: any ByteSink

        public init(_ variant: Variant, sink: any ByteSink) {
            self.variant = variant
            self.sink = sink
        }
    }

    public let encodeSettings: EncodeSettings
    public var options: DecodeOptions
    public var metrics = Metrics.silent
    public var progress = Progress.none

    public init(encodeSettings: EncodeSettings, options: DecodeOptions) {
        self.encodeSettings = encodeSettings
        self.options = options
    }

    /// Returns a text with all settings that affect the bytes of a variant, for the cache key.
    func key(_ variant: Variant) -> String {
        "\(encodeSettings.key(variant));truncated=\(options.allowsTruncated);damaged=\(options.allowsDamage)"
            + ";decode=\(options.quality.rawValue);decoder=\(options.decoder.rawValue)"
    }

    func format(of variant: Variant, source: ImageHeader) -> OutputFormat {
        if variant.isTiled { return .jpeg }
        return encodeSettings.format(
            for: source.format, isAnimated: source.isAnimated == true && variant.frame == nil,
            hasAlpha: source.hasAlpha == true || variant.cornerRadius > 0)
    }

    /// Makes the variants of a picture, the smallest first. Calls `done` with the index of each variant as soon as the
    /// variant is complete. Throws `ImageError`, `FormatFailure`, `Cancelled`, and errors of the source, the sinks and
    /// `done`.
    public func make(
        _ source: some ByteSource, _ info: ImageHeader, _ requests: [Request],
        done: (Int, DownsampleResult) throws -> Void
    ) throws {
        let (exif, xmp) = try carried(source)
        let outputs = requests.map { request in
            Output(
                request.variant.geometry,
                encoding: encodeSettings.encoding(format(of: request.variant, source: info)),
                backdrop: encodeSettings.backdrop ?? .colour(encodeSettings.background ?? .white),
                gradient: request.variant.gradient, cornerRadius: request.variant.cornerRadius,
                keepsProfile: encodeSettings.keepsProfile, wantsHash: encodeSettings.wantsHash, exif: exif, xmp: xmp,
                frame: encodeSettings.frame(of: request.variant), framesPerSecond: encodeSettings.framesPerSecond,
                byteLimit: encodeSettings.byteLimit, sink: request.sink, tiles: request.sink as? any TileSink)
        }
        progress.beginWork()
        let start = SteadyTime.now()
        try metrics.measure {
            try downsample(source, info, to: outputs, options: options, isLinear: encodeSettings.isLinear) {
                index, result in
                metrics.add(Self.event(requests[index].variant, result, after: SteadyTime.now() - start))
                try done(index, result)
            }
        } event: {
            Self.event(source.count, info, outputs: requests.count, $0, $1)
        }
    }

    private static func event(
        _ bytes: Int, _ info: ImageHeader, outputs: Int, _ result: Result<Void, any Error>, _ duration: Duration
    ) -> MetricEvent {
        MetricEvent(
            .decode,
            [
                "format": .text(info.format.id), "width": .integer(info.uprightSize.width),
                "height": .integer(info.uprightSize.height), "bytes": .integer(bytes), "outputs": .integer(outputs),
                "ms": .time(duration), "code": MetricEvent.code(of: result),
            ])
    }

    private static func event(_ variant: Variant, _ result: DownsampleResult, after duration: Duration) -> MetricEvent {
        MetricEvent(
            .encode,
            [
                "variant": .text(variant.name), "format": .text(result.format.rawValue),
                "width": .integer(result.size.width), "height": .integer(result.size.height),
                "bytes": .integer(result.bytes), "ms": .time(duration),
            ])
    }

    /// Returns the metadata to copy from the source into its variants.
    private func carried(_ source: some ByteSource) throws -> (exif: ExifBlock?, xmp: XMPPacket?) {
        if encodeSettings.metadata == .stripped { return (nil, nil) }
        let metadata = try EmbeddedMetadata.read(source)
        return encodeSettings.metadata == .kept
            ? (metadata.exif.flatMap(ExifBlock.init), metadata.xmp.map(XMPPacket.init))
            : (ExifBlock.rights(copyright: metadata.copyright, artist: metadata.artist), nil)
    }
}
