import Formats
import JPEG
import Support

/// Resizes a picture and encodes its outputs.
struct DownsampleJob {
    let info: ImageHeader
    let outputs: [Output]
    let options: DecodeOptions
    let isLinear: Bool

    /// - Parameter options: the time limit starts with this call, unless `options.begun` was called before.
    init(info: ImageHeader, outputs: [Output], options: DecodeOptions, isLinear: Bool) {
        self.info = info
        self.outputs = outputs
        self.options = options.begun()
        self.isLinear = isLinear
    }

    /// Planes to resample, with their layout and colours.
    struct Source {
        var planes: any PlaneReader
        /// The layout of the pixels. Three planes are YCbCr, and become RGB pixels.
        let layout: RowLayout
        /// The ICC profile of the colours; nil for sRGB.
        let profile: [UInt8]?
        /// Whether the stored colours were converted to sRGB.
        var isConverted = false
    }

    func run(_ source: some ByteSource, done: (Int, DownsampleResult) throws -> Void) throws {
        let planned = try plan()
        if try runAnimation(source, planned, done: done) { return }
        // Frames are counted before other memory is reserved, because counting the frames of a WebP allocates canvases.
        let frames = frameCount(source).map { FrameCounts(source: $0, output: 1) }
        for planned in planned where keepsPixels(planned) {
            planned.kept = try? PassthroughPNG(source, isProgressive: planned.output.encoding.isProgressive)
        }
        // Colours are converted before resampling, so outputs in sRGB and outputs that keep the profile need separate
        // decodes.
        let kept = try open(source, planned, keepsProfile: planned.contains { $0.output.keepsProfile })
        let keeping = planned.filter { keepsProfile($0, kept) }
        try pass(kept, keeping, frames, done: done)
        let others = planned.filter { !keepsProfile($0, kept) }
        if others.isEmpty { return }
        try pass(kept.profile == nil ? kept : open(source, others, keepsProfile: false), others, frames, done: done)
    }

    private func pass(
        _ source: Source, _ planned: [PlannedOutput], _ frames: FrameCounts?,
        done: (Int, DownsampleResult) throws -> Void
    ) throws {
        if planned.isEmpty { return }
        try pass(source, planned) { planned in
            guard planned.isLast else { return }
            let planes = source.planes
            try done(
                planned.index,
                planned.result(
                    isTruncated: info.isTruncated || planes.isTruncated, isDamaged: info.isDamaged || planes.isDamaged,
                    frames))
        }
    }

    func run(_ pixels: PixelBuffer, done: (Int, DownsampleResult) throws -> Void) throws {
        let planned = try plan()
        try pixels.bytes.withUnsafeBufferPointer { bytes in
            let rows = PixelRows(bytes.baseAddress!, size: pixels.size, channels: pixels.channels)
            try pass(Source(rows), planned, nil, done: done)
        }
    }

    /// - Parameter keepsProfile: whether gray and RGB stay in their embedded profile, instead of being converted to
    ///   sRGB.
    private func open(
        _ source: some ByteSource, _ planned: [PlannedOutput], keepsProfile: Bool
    ) throws -> Source {
        var stored = try openStored(source, planned, keepsProfile: keepsProfile)
        stored.planes = try DecodeAhead.decoding(stored.planes, options: options)
        return stored
    }

    /// Opens the source without `DecodeAhead`.
    private func openStored(
        _ source: some ByteSource, _ planned: [PlannedOutput], keepsProfile: Bool
    ) throws -> Source {
        guard info.format == .jpeg else {
            return Source(try rowReader(source, info, keepsProfile: keepsProfile, options: options))
        }
        var options = options
        // Producing a pixel of an output takes about as long as decoding a byte of the file. If the outputs have more
        // pixels than the file has bytes, this thread is busy with the outputs, so the only spare thread decodes
        // everything (`DecodeAhead`). Otherwise, both threads decode.
        options.leavesThread = planned.reduce(0) { $0 + Double($1.plan.target.pixels ?? .max) } > Double(source.count)
        let jpeg = try JPEGReader(source, info, options: options)
        let staysInProfile = keepsProfile && jpeg.profile != nil && jpeg.layout != .cmyk
        let transform = staysInProfile ? nil : ColourTransform(profile: jpeg.profile, layout: jpeg.layout)
        // A scaled or partial decode averages coded samples. Linear light, and profiles with a curve unlike sRGB's,
        // need all samples.
        let needsAll = isLinear || transform?.toleratesScaling == false
        let scale = needsAll ? 8 : planned.map(jpegScale).max() ?? 8
        let reduction = needsAll ? 1 : planned.map(\.plan.reduction).min() ?? 1
        // Outputs at the original size need chroma that is upsampled as in libjpeg and all viewers.
        let copiesPixels = planned.contains { $0.plan.isIdentity && $0.output.encoding.format != .jpeg }
        let profile = staysInProfile ? jpeg.profile : nil
        if jpeg.hasPlanes && transform == nil && !isLinear && !copiesPixels {
            return Source(
                planes: try jpeg.planes(scale: scale, reduction: reduction), layout: jpeg.layout, profile: profile)
        }
        let rows = try jpeg.rows(scale: scale, reduction: reduction)
        let shown = transform.map { SRGBRows(rows, $0, options: options) } ?? rows
        return Source(
            planes: InterleavedRows(shown, sharpening: JPEGFrame.sharpening(scale: scale)), layout: shown.layout,
            profile: profile)
    }

    private func jpegScale(_ planned: PlannedOutput) -> Int {
        planned.plan.jpegScale { options.quality.leftToResample(at: $0, for: planned.output.encoding) }
    }

    /// Passes the planes of a picture or frame to the outputs. Calls `done` for each output, the smallest first.
    func pass(_ source: Source, _ planned: [PlannedOutput], done: (PlannedOutput) throws -> Void) throws {
        let flow = try RowPipeline(
            source.planes, layout: source.layout, whole: info.storedSize, isLinear: isLinear,
            plans: planned.map { planned in
                var plan = planned.plan
                if isDirect(planned, source) {
                    plan.planes = encoding(planned, source).chromaSampling(of: plan.target) ?? .full
                }
                return plan
            }, options: options)
        let sinks = try zip(planned, flow.stages).map { planned, stage in
            let sink = try sink(planned, stage, source)
            stage.sink = sink
            return sink
        }
        try flow.run()
        // Each sink is used by a single thread at a time, and shares nothing with other sinks.
        nonisolated(unsafe) let last = Array(sinks.reversed())
        let hashes = Monitor([PlaceholderHash?](repeating: nil, count: last.count))
        let large = planned.count { ($0.plan.target.pixels ?? .max) >= Self.threadPixels }
        try options.spareThreads.perform(last.count, threads: large - 1) { number in
            let hash = try last[number].finish()
            hashes.withLock { $0[number] = hash }
        } done: { number in
            let planned = planned[planned.count - 1 - number]
            planned.hash = planned.hash ?? hashes.withLock { $0[number] }
            try done(planned)
        }
    }

    /// The minimum number of pixels to encode on another thread. Smaller pictures take less time than starting a
    /// thread.
    private static let threadPixels = 1 << 14

    /// Whether an output keeps the source's profile, which must then be embedded. GIFs and animations cannot embed a
    /// profile, and only JPEG and PNG can be gray.
    private func keepsProfile(_ planned: PlannedOutput, _ source: Source) -> Bool {
        let encoding = planned.output.encoding
        guard planned.output.keepsProfile, encoding.format != .gif, planned.animation == nil else { return false }
        let holdsGray = encoding.format == .png || encoding.format == .jpeg && encoding.ground.isGray
        // A backdrop has colours, which a gray profile cannot represent.
        if source.layout.channels < 3, planned.placement.inset != nil { return false }
        let staysGray = source.layout.channels < 3 && holdsGray
        return PictureMetadata(profile: source.profile).profile(isGray: staysGray) != nil
    }

    /// Whether options and geometry leave the pixels of a PNG unchanged, so that its compressed data can be copied.
    /// False with an effort of 0. Also false if truncated files are allowed, because a truncated PNG must be encoded
    /// again.
    private func keepsPixels(_ planned: PlannedOutput) -> Bool {
        let output = planned.output
        return info.format == .png && info.isAnimated != true && !info.hasSeparateStaticImage
            && output.encoding.format == .png
            && output.encoding.effort > 0 && planned.plan.isIdentity && planned.plan.orientation == .upright
            && planned.placement.rendered == planned.placement.target && output.gradient == .none
            && output.cornerRadius == 0 && output.byteLimit == nil && !options.allowsTruncated
    }

    /// Whether the JPEG encoder receives the planes without conversion to pixels.
    private func isDirect(_ planned: PlannedOutput, _ source: Source) -> Bool {
        planned.output.encoding.format == .jpeg && planned.plan.orientation == .upright
            && planned.placement.rendered == planned.placement.target && !planned.output.needsPixels
            && planned.level == nil
            && (source.planes.planes.count == 3 || source.planes.planes[0].channels == 1)
    }

    /// Returns the output's options, adapted to the memory limit and the source.
    private func encoding(_ planned: PlannedOutput, _ source: Source) -> EncodeOptions {
        var encoding = planned.output.encoding
        let target = planned.placement.target
        // An output that needs more than half of the memory limit is encoded row by row.
        if encoding.format == .png || encoding.format == .jpeg, encoding.holds(target),
            (try? options.limits.check(memory: target, bytesPerPixel: encoding.bytesPerPixel(of: target) * 2)) == nil
        {
            encoding.effort = 0
        }
        let planes = source.planes.planes
        if encoding.chroma == .auto, planes.count == 3 {
            let plan = planned.plan
            let across = planes[1].extentWidth * plan.crop.width / Double(plan.source.width)
            let down = planes[1].extentHeight * plan.crop.height / Double(plan.source.height)
            // The source has at most half the output's chroma resolution.
            if across * 2 < Double(plan.target.width) + 1, down * 2 < Double(plan.target.height) + 1 {
                encoding.chroma = .halved
            }
        }
        return encoding
    }

    private func sink(_ planned: PlannedOutput, _ stage: Stage, _ source: Source) throws -> any StageSink {
        var output = planned.output
        output.encoding = encoding(planned, source)
        if let level = planned.level, let tiles = output.tiles {
            let cutter = try TileOutput(
                level, orientation: planned.plan.orientation, channels: source.layout.channels,
                encoding: output.encoding, options: options, into: tiles, counting: planned.drain)
            return PixelSink(stage, to: cutter)
        }
        var encoding = output.encoding
        let keepsProfile = keepsProfile(planned, source)
        if keepsProfile { encoding.metadata.profile = source.profile }
        encoding.metadata.exif = output.exif?.upright(size: planned.placement.target, isSRGB: !keepsProfile).bytes
        encoding.metadata.xmp = output.xmp?.ofCopy(isSRGB: !keepsProfile)?.bytes
        if stage.plan.planes != nil {
            guard encoding.buffersJPEG(of: stage.plan.target, isGray: stage.rings.count == 1) else {
                return try JPEGPlaneSink(stage, encoding: encoding, options: options, into: planned.drain)
            }
            return try BufferedPlaneSink(stage, encoding: encoding, options: options, into: planned.drain)
        }
        let pixels = try PixelOutput(
            output, placement: planned.placement, orientation: planned.plan.orientation,
            channels: source.layout.channels, options: options, firstFrame: planned.firstFrame
        ) { size, channels in
            if let animation = planned.animation { return animation.frame(channels: channels) }
            if let kept = planned.kept, !source.isConverted {
                guard encoding.holds(size) else {
                    return KeptPNGWriter(kept, channels: channels, metadata: encoding.metadata, into: planned.drain)
                }
                return BufferedPNGWriter(
                    size: size, channels: channels, options: encoding, kept: kept, into: planned.drain)
            }
            guard let limit = output.byteLimit else {
                return try rowWriter(encoding, size: size, channels: channels, into: planned.drain)
            }
            return FittingWriter(encoding, byteLimit: limit, size: size, channels: channels, into: planned.drain)
        }
        return PixelSink(stage, to: pixels)
    }
}

extension DownsampleJob.Source {
    init(_ rows: any RowReader) {
        self.init(
            planes: InterleavedRows(rows), layout: rows.layout, profile: rows.profile, isConverted: rows is SRGBRows)
    }
}
