import Formats
import Images
import Support

/// Makes variants of pictures, any number from one decoding.
public struct VariantMaker: Sendable {
    /// One variant that is wanted.
    public struct Request {
        public var variant: Variant
        /// Takes the encoded bytes.
        public var sink: any ByteSink

        public init(_ variant: Variant, sink: any ByteSink) {
            self.variant = variant
            self.sink = sink
        }
    }

    public let rendition: Rendition
    public var options: DecodeOptions
    public var metrics = Metrics.silent
    public var progress = Progress.none

    public init(rendition: Rendition, options: DecodeOptions) {
        self.rendition = rendition
        self.options = options
    }

    /// Every option that changes the bytes of a variant, as the cache's key wants it.
    func key(_ variant: Variant) -> String {
        "\(rendition.key(variant));truncated=\(options.allowsTruncated);damaged=\(options.allowsDamage)"
            + ";decode=\(options.quality.rawValue);decoder=\(options.decoder.rawValue)"
    }

    /// The format that a variant of a picture is written in.
    func format(of variant: Variant, source: ImageHeader) -> OutputFormat {
        rendition.format(
            for: source.format, isAnimated: source.isAnimated == true, hasAlpha: source.hasAlpha == true,
            isRounded: variant.cornerRadius > 0)
    }

    /// Makes the variants of one picture; `done` is told the index of each as soon as it is, the smallest first. Throws
    /// `ImageError`, `FormatFailure`, `Cancelled`, and what the source, the sinks and `done` throw.
    public func make(
        _ source: some ByteSource, _ info: ImageHeader, _ requests: [Request],
        done: (Int, DownsampleResult) throws -> Void
    ) throws {
        let (exif, xmp) = try carried(source)
        let outputs = requests.map { request in
            Output(
                request.variant.geometry,
                encoding: rendition.encoding(format(of: request.variant, source: info)),
                backdrop: rendition.backdrop ?? .colour(rendition.background ?? .white),
                gradient: request.variant.gradient,
                cornerRadius: request.variant.cornerRadius, keepsProfile: rendition.keepsProfile,
                wantsHash: rendition.wantsHash, exif: exif, xmp: xmp, frame: rendition.frame,
                framesPerSecond: rendition.framesPerSecond, byteLimit: rendition.byteLimit, sink: request.sink)
        }
        progress.beginWork()
        let start = SteadyTime.now()
        try metrics.measure {
            try downsample(source, info, to: outputs, options: options, isLinear: rendition.isLinear) { index, result in
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
                "format": .text(info.format.rawValue), "width": .number(info.uprightSize.width),
                "height": .number(info.uprightSize.height), "bytes": .number(bytes), "outputs": .number(outputs),
                "ms": .time(duration), "code": MetricEvent.code(of: result),
            ])
    }

    private static func event(_ variant: Variant, _ result: DownsampleResult, after duration: Duration) -> MetricEvent {
        MetricEvent(
            .encode,
            [
                "variant": .text(variant.name), "format": .text(result.format.rawValue),
                "width": .number(result.size.width), "height": .number(result.size.height),
                "bytes": .number(result.bytes), "ms": .time(duration),
            ])
    }

    /// What of the source's metadata goes along.
    private func carried(_ source: some ByteSource) throws -> (exif: ExifBlock?, xmp: XMPPacket?) {
        switch rendition.metadata {
        case .stripped: return (nil, nil)
        case .kept:
            let metadata = try EmbeddedMetadata.read(source)
            return (metadata.exif.flatMap(ExifBlock.init), metadata.xmp.map(XMPPacket.init))
        case .copyright:
            let metadata = try EmbeddedMetadata.read(source)
            return (ExifBlock.rights(copyright: metadata.copyright, artist: metadata.artist), nil)
        }
    }
}
