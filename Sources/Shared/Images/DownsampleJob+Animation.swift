import Formats
import Support

extension DownsampleJob {
    /// Passes the frames of an animation to the outputs that show them. Returns false, and writes nothing, for a still
    /// picture, or if all outputs show only the first frame, which the still reader decodes.
    func runAnimation(
        _ source: some ByteSource, _ planned: [PlannedOutput], done: (Int, DownsampleResult) throws -> Void
    ) throws -> Bool {
        func showsAllFrames(_ planned: PlannedOutput) -> Bool {
            planned.output.frame == nil && planned.output.encoding.format.holdsAnimations
        }
        // The still picture of an animated PNG may differ from its first frame.
        let needsFrames = planned.contains {
            showsAllFrames($0) || ($0.output.frame ?? 0) > 0 || $0.output.frame != nil && info.format == .png
        }
        guard needsFrames, info.isAnimated ?? true, let reader = try wholeFrames(source) else {
            try checkIsStill(planned)
            return false
        }
        if let frame = planned.compactMap(\.output.frame).max(), frame >= reader.frameCount {
            throw ImageError.noSuchFrame(frame, count: reader.frameCount)
        }
        // For a single frame, the still encoders write smaller files.
        if reader.frameCount == 1 { return false }
        func isFitted(_ planned: PlannedOutput) -> Bool { showsAllFrames(planned) && planned.output.byteLimit != nil }
        for planned in planned where showsAllFrames(planned) && !isFitted(planned) {
            planned.animation = try AnimatedOutput(
                animationEncoding(planned), size: planned.placement.target, plays: reader.plays,
                framesPerSecond: planned.output.framesPerSecond, options: options, into: planned.drain)
        }
        let last = planned.contains(where: showsAllFrames) ? Int.max : planned.compactMap(\.output.frame).max() ?? 0
        var count = 0
        let transform = ColourTransform(profile: reader.profile, layout: .rgba)
        while count <= last, let frame = try reader.nextFrame() {
            try options.check()
            let shown = try planned.filter {
                try $0.animation?.shows(frameOf: frame.delay) ?? (!isFitted($0) && ($0.output.frame ?? 0) == count)
            }
            count += 1
            if shown.isEmpty { continue }
            let isOpaque =
                transform == nil && shown.allSatisfy { $0.animation != nil }
                && OpaqueRows.covers(frame.pixels, reader.size)
            let canvas: any RowReader =
                isOpaque
                ? OpaqueRows(frame.pixels, size: reader.size)
                : PixelRows(frame.pixels, size: reader.size, channels: 4)
            try pass(Source(transform.map { SRGBRows(canvas, $0, options: options) } ?? canvas), shown) { _ in }
        }
        for planned in planned.reversed() {
            try planned.animation?.finish()
            if isFitted(planned) { try fit(planned, source) }
            let output = planned.animation?.count ?? planned.fittedFrames ?? 1
            let frames = FrameCounts(source: reader.frameCount, output: output)
            let isCut = last == .max && count < reader.frameCount
            try done(
                planned.index,
                planned.result(
                    isTruncated: info.isTruncated || isCut, isDamaged: info.isDamaged || reader.isDamaged, frames))
        }
        return true
    }

    /// Returns the encode options for an animation. A GIF that keeps its size is encoded without loss.
    private func animationEncoding(_ planned: PlannedOutput) -> EncodeOptions {
        var encoding = planned.output.encoding
        encoding.toleratesLoss = !planned.plan.isIdentity || info.format != .gif
        return encoding
    }

    /// Returns the animation's reader, or nil for a still picture. If truncated files are allowed, also returns nil for
    /// an animation that ends within its first frame, which is then decoded as a still picture.
    private func wholeFrames(_ source: some ByteSource) throws -> (any AnimationReader)? {
        do {
            return try animationReader(source, info, options: options)
        } catch ImageError.truncated where options.allowsTruncated,
            FormatFailure.truncated where options.allowsTruncated
        {
            return nil
        }
    }

    /// Throws `ImageError.noSuchFrame` if an output requests a frame that a still picture or page does not have.
    private func checkIsStill(_ planned: [PlannedOutput]) throws {
        guard let frame = planned.compactMap(\.output.frame).max(), frame != info.page, frame > 0 else { return }
        throw ImageError.noSuchFrame(frame, count: 1)
    }

    /// Encodes an animation with a size limit. Decodes it again for each quality.
    private func fit(_ planned: PlannedOutput, _ source: some ByteSource) throws {
        guard let byteLimit = planned.output.byteLimit else { return }
        let bytes = try fitted(animationEncoding(planned), byteLimit: byteLimit) { encoding in
            let sink = MemorySink()
            var output = planned.output
            output.encoding = encoding
            output.byteLimit = nil
            output.sink = sink
            let job = DownsampleJob(info: info, outputs: [output], options: options, isLinear: isLinear)
            try job.run(source) {
                planned.hash = $1.hash
                planned.fittedFrames = $1.frames?.output
            }
            return sink.bytes
        }
        try planned.drain.write(bytes.span.bytes)
    }

    /// Returns the number of frames if it is greater than 1 and known without decoding.
    func frameCount(_ source: some ByteSource) -> Int? {
        guard info.isAnimated != false else { return nil }
        let decoder = ImageDecoder.of(info.format)
        let count = try? decoder.frameCount?(source) ?? decoder.frames?(source, options)?.frameCount
        return count.flatMap { $0 > 1 ? $0 : nil }
    }
}
