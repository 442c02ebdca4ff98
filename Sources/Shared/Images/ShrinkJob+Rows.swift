import CKernels
import Formats
import Support

extension ShrinkJob {
    /// The path of pixels that come row by row: PNG, GIF, WebP, and JPEG where its planes cannot be kept apart.
    func run(_ reader: any RowReader, _ transform: ColourTransform?) throws {
        let target = plan.storedTarget
        let resamples = reader.size != target
        let finish = RowFinish(
            reader.layout, transform: transform, isPremultiplied: resamples,
            background: options.format == .jpeg ? options.background : nil, width: target.width)
        let channels = finish.channels
        let rows: any RowProducer =
            resamples
            ? try ResampledRows(reader, target: target, limits: limits) : CopiedRows(reader)
        if plan.orientation == .upright {
            let writer = try rowWriter(options, size: target, channels: channels, limits: limits, into: drain)
            try rows.forEach(checking: interruption) { row in try writer.write(finish.apply(row)) }
            try writer.finish()
            return
        }
        // A picture that is turned: the small one is gathered. Its rows and their turned copy.
        try limits.check(memory: target, bytesPerPixel: channels * 2)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(target.width * target.height * channels)
        try rows.forEach(checking: interruption) { row in
            bytes.append(contentsOf: UnsafeBufferPointer(start: finish.apply(row), count: target.width * channels))
        }
        let upright = PixelBuffer(size: target, channels: channels, bytes: bytes).upright(from: plan.orientation)
        bytes = []
        let writer = try rowWriter(options, size: upright.size, channels: channels, limits: limits, into: drain)
        try upright.bytes.withUnsafeBufferPointer { pixels in
            for y in 0..<upright.size.height {
                if y % 64 == 0 { try interruption.check() }
                try writer.write(pixels.baseAddress! + y * upright.size.width * channels)
            }
        }
        try writer.finish()
    }
}

/// Gives the rows of the output size, in order.
private protocol RowProducer {
    func forEach(
        checking interruption: Interruption, _ body: (UnsafeMutablePointer<UInt8>) throws -> Void) throws
}

/// The rows of the source as they are.
private struct CopiedRows: RowProducer {
    let reader: any RowReader

    init(_ reader: any RowReader) { self.reader = reader }

    func forEach(
        checking interruption: Interruption, _ body: (UnsafeMutablePointer<UInt8>) throws -> Void
    ) throws {
        let row = AlignedBuffer(count: reader.size.width * reader.layout.channels)
        for y in 0..<reader.size.height {
            if y % 16 == 0 { try interruption.check() }
            try reader.readRow(into: row.bytes)
            try body(row.bytes)
        }
        try reader.finish()
    }
}

/// The rows of the source, resampled; alpha, where there is one, is multiplied in, so that the colour of transparent
/// pixels does not bleed into their neighbours.
private struct ResampledRows: RowProducer {
    let reader: any RowReader
    let resampler: RowResampler
    let width: Int

    init(_ reader: any RowReader, target: PixelSize, limits: DecodeLimits) throws {
        self.reader = reader
        width = target.width
        var horizontal = ResamplingAxis(sourceCount: reader.size.width, targetCount: target.width)
        horizontal.sourceExtent = reader.extent.width
        var vertical = ResamplingAxis(sourceCount: reader.size.height, targetCount: target.height)
        vertical.sourceExtent = reader.extent.height
        let channels = reader.layout.channels
        let plan = RowResamplingPlan(horizontal: horizontal, vertical: vertical, channels: channels)
        let held = plan.widestSpan
        try limits.check(memory: plan.memory(heldRows: held))
        resampler = RowResampler(plan, heldRows: held, groupRows: 1, rowBytes: reader.size.width * channels)
    }

    func forEach(
        checking interruption: Interruption, _ body: (UnsafeMutablePointer<UInt8>) throws -> Void
    ) throws {
        let channels = reader.layout.channels
        let output = AlignedBuffer(count: width * channels)
        for y in 0..<reader.size.height {
            if y % 16 == 0 { try interruption.check() }
            let row = resampler.nextRow()
            try reader.readRow(into: row)
            if reader.layout.hasAlpha { apod_premultiply(row, channels, reader.size.width) }
            resampler.advance()
            while resampler.canProduce {
                resampler.produce(into: output.bytes)
                try body(output.bytes)
            }
        }
        try reader.finish()
    }
}
