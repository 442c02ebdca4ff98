import Formats
import Images
import Support

/// Makes variants of pictures, any number from one decoding.
public struct VariantMaker: Sendable {
    /// One variant that is wanted.
    public struct Request {
        public var variant: Variant
        /// Instead of the rendition's.
        public var format: OutputFormat?
        /// Takes the encoded bytes.
        public var sink: (UnsafeRawBufferPointer) throws -> Void

        public init(
            _ variant: Variant, format: OutputFormat? = nil, sink: @escaping (UnsafeRawBufferPointer) throws -> Void
        ) {
            self.variant = variant
            self.format = format
            self.sink = sink
        }
    }

    public let rendition: Rendition
    public let options: DecodeOptions

    public init(rendition: Rendition, options: DecodeOptions) {
        self.rendition = rendition
        self.options = options
    }

    /// Makes the variants of one picture; `done` is told the index of each as soon as it is, the smallest first.
    public func make(
        _ source: some ByteSource, _ info: PictureInfo, _ requests: [Request],
        done: (Int, ShrinkResult) throws -> Void
    ) throws {
        let outputs = requests.map { request in
            let encoding = rendition.encoding(request.format ?? rendition.format(for: info.format))
            return Output(
                request.variant.geometry, encoding: encoding, gradient: request.variant.gradient,
                cornerRadius: request.variant.cornerRadius, keepsProfile: rendition.keepsProfile,
                wantsHash: rendition.wantsHash, byteLimit: rendition.byteLimit, sink: request.sink)
        }
        try shrink(source, info, to: outputs, options: options, isLinear: rendition.isLinear, done: done)
    }
}
