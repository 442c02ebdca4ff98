import CKernels
import Formats
import Support

/// Encodes quantised blocks as a JPEG, one row of MCUs at a time.
protocol BlockWriter: AnyObject {
    /// Writes the next row of MCUs: the blocks of each plane.
    func write(_ rows: [BlockRows]) throws
    func finish() throws
}

/// Encodes a baseline JPEG (T.81, annex F). libjpeg would write the same bytes.
///
/// The symbols of a row of MCUs are written as codes at once. To optimise the codes for the picture, the symbols are
/// kept until all are known, and the coefficients need not be kept.
final class BaselineEncoder: BlockWriter {
    private let drain: EncoderOutput
    private let isGray: Bool
    /// MCUs per row.
    private let mcus: Int
    private var components: [apod_mcu_component]
    /// For each block of an MCU, 1 if it is chroma.
    private let isChroma: [UInt8]
    /// How often each of 256 symbols occurred, for each of `HuffmanCode.standard`.
    private let uses: UnsafeMutablePointer<UInt32>
    /// The symbols of a row of MCUs.
    private let symbols: AlignedBuffer
    /// The symbols of all rows, until the codes are known.
    private var kept: [[UInt8]] = []
    private var codes: [apod_code] = []
    private var pending = apod_bits()
    private var output: [UInt8]

    init(size: PixelSize, isGray: Bool, coding: JPEGCoding, metadata: PictureMetadata, into drain: EncoderOutput) throws
    {
        self.drain = drain
        self.isGray = isGray
        let (across, down) = isGray ? (1, 1) : (coding.sampling.across, coding.sampling.down)
        mcus = (size.width + 8 * across - 1) / (8 * across)
        isChroma = [UInt8](repeating: 0, count: across * down) + (isGray ? [] : [1, 1])
        let uses = UnsafeMutablePointer<UInt32>.allocate(capacity: 4 * 256)
        uses.initialize(repeating: 0, count: 4 * 256)
        self.uses = uses
        components = (0..<(isGray ? 1 : 3)).map { plane in
            var component = apod_mcu_component()
            (component.across, component.down) = plane == 0 ? (across, down) : (1, 1)
            component.dc_uses = uses + (plane == 0 ? 0 : 512)
            component.ac_uses = component.dc_uses + 256
            return component
        }
        symbols = AlignedBuffer(count: mcus * isChroma.count * Int(APOD_BLOCK_SYMBOLS * APOD_SYMBOL_BYTES))
        output = try JPEGHeader.frame(size, isGray: isGray, coding, metadata)
        if !coding.isOptimized { writeHeader(HuffmanCode.standard) }
    }

    deinit { uses.deallocate() }

    func write(_ rows: [BlockRows]) throws {
        for (plane, own) in rows.enumerated() {
            components[plane].blocks = own.blocks
            components[plane].nonzero = own.nonzero
            (components[plane].columns, components[plane].rows) = (own.columns, own.count)
        }
        let count = apod_write_symbols(&components, components.count, mcus, symbols.bytes)
        let written = UnsafeBufferPointer(start: symbols.bytes, count: count)
        if codes.isEmpty {
            kept.append(Array(written))
        } else {
            try writeCodes(written)
        }
    }

    func finish() throws {
        if codes.isEmpty {
            writeHeader(
                (0..<(isGray ? 2 : 4)).map { table in
                    HuffmanCode(optimizedFor: Array(UnsafeBufferPointer(start: uses + 256 * table, count: 256)))
                })
            for symbols in kept { try symbols.withUnsafeBufferPointer(writeCodes) }
        }
        // Fills the last byte with 1 bits (F.1.2.3).
        let padding = (8 - Int(pending.count) % 8) % 8
        let last = pending.bits << padding | (1 << padding - 1)
        for shift in stride(from: Int(pending.count) + padding - 8, through: 0, by: -8) {
            let byte = UInt8(truncatingIfNeeded: last >> shift)
            output += byte == 0xFF ? [byte, 0] : [byte]
        }
        output += [0xFF, 0xD9]
        try writeOutput()
    }

    private func writeHeader(_ tables: [HuffmanCode]) {
        codes = tables.flatMap(\.codes)
        output += JPEGHeader.scan(isGray: isGray, tables)
    }

    private func writeCodes(_ symbols: UnsafeBufferPointer<UInt8>) throws {
        output += [UInt8](unsafeUninitializedCapacity: 3 * symbols.count + 8) { bytes, count in
            count = apod_write_codes(
                symbols.baseAddress, symbols.count, codes, isChroma, isChroma.count, &pending, bytes.baseAddress)
        }
        // The sink may write to a file: passes it large pieces.
        if output.count >= 1 << 16 { try writeOutput() }
    }

    private func writeOutput() throws {
        let bytes = output
        output = []
        try drain.write(bytes.span.bytes)
    }
}
