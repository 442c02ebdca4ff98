import Formats

/// Selects spatial layers in the data of an AV1 picture.
///
/// libheif always decodes the highest layer of the first operating point, so the data of other layers is removed first.
/// Section numbers refer to the AV1 Bitstream & Decoding Process Specification.
struct AV1Layers {
    /// The layer to show, or nil for the highest layer. Lower layers are kept, because this layer depends on them.
    let layer: Int?
    /// The index of the operating point in the sequence header.
    let operatingPoint: Int

    /// Moves the selected units (OBUs) to the beginning of the data, and returns their total length in bytes.
    ///
    /// Throws `ImageError.corrupt` if the units are damaged, or if the layer or the operating point does not exist.
    func select(in data: UnsafeMutableBufferPointer<UInt8>, _ format: ImageFormat) throws -> Int {
        // libheif itself skips units that are not part of the first operating point.
        var mask = operatingPoint == 0 ? 0 : nil
        var hasLayer = layer == nil
        var (place, length) = (0, 0)
        while place < data.count {
            guard let unit = Unit(data, at: place) else { throw ImageError.corrupt(format, "a damaged AV1 unit") }
            if mask == nil, unit.kind == Unit.sequenceHeader {
                mask = Self.mask(ofOperatingPoint: operatingPoint, UnsafeBufferPointer(rebasing: data[unit.body]))
            }
            if unit.isIncluded(in: mask ?? 0), unit.spatialLayer <= layer ?? unit.spatialLayer {
                hasLayer = hasLayer || unit.isFrame && unit.spatialLayer == layer
                data.baseAddress!.advanced(by: length).update(
                    from: data.baseAddress!.advanced(by: place), count: unit.end - place)
                length += unit.end - place
            }
            place = unit.end
        }
        if mask == nil { throw ImageError.corrupt(format, "no operating point \(operatingPoint)") }
        if let layer, !hasLayer { throw ImageError.corrupt(format, "no layer \(layer)") }
        return length
    }

    /// Returns the layers of an operating point as a bit mask: temporal layers in bits 0 to 7, spatial layers in bits 8
    /// to 11, or 0 for all layers. Returns nil if the sequence header does not list the operating point (§5.5.1).
    static func mask(ofOperatingPoint index: Int, _ header: UnsafeBufferPointer<UInt8>) -> Int? {
        var bits = Bits(bytes: header)
        // seq_profile, still_picture
        bits.skip(4)
        if bits.flag() { return index == 0 ? 0 : nil }
        var delayBits: Int?
        // timing_info_present_flag
        if bits.flag() {
            bits.skip(64)
            // equal_picture_interval
            if bits.flag() { bits.skipVariableLength() }
            // decoder_model_info_present_flag
            if bits.flag() {
                delayBits = bits.next(5) + 1
                bits.skip(42)
            }
        }
        let hasDisplayDelay = bits.flag()
        guard index <= bits.next(5) else { return nil }
        for _ in 0..<index {
            bits.skip(12)
            // seq_level_idx, seq_tier
            if bits.next(5) > 7 { bits.skip(1) }
            if let delayBits, bits.flag() { bits.skip(2 * delayBits + 1) }
            if hasDisplayDelay, bits.flag() { bits.skip(4) }
        }
        let mask = bits.next(12)
        return bits.isBeyondEnd ? nil : mask
    }

    /// The header of a unit (§5.3).
    private struct Unit {
        static let sequenceHeader = 1

        let kind: Int
        private(set) var temporalLayer = 0
        private(set) var spatialLayer = 0
        private let hasLayers: Bool
        let body: Range<Int>

        var end: Int { body.upperBound }
        /// OBU_FRAME_HEADER or OBU_FRAME
        var isFrame: Bool { kind == 3 || kind == 6 }

        init?(_ data: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
            var place = start
            func next() -> Int? {
                guard place < data.count else { return nil }
                defer { place += 1 }
                return Int(data[place])
            }
            guard let header = next() else { return nil }
            kind = header >> 3 & 15
            hasLayers = header & 4 != 0
            if hasLayers {
                guard let layers = next() else { return nil }
                (temporalLayer, spatialLayer) = (layers >> 5, layers >> 3 & 3)
            }
            var length = data.count - place
            if header & 2 != 0 {
                // leb128 (§4.10.5)
                length = 0
                for index in 0..<8 {
                    guard let byte = next() else { return nil }
                    length |= (byte & 0x7F) << (7 * index)
                    if byte & 0x80 == 0 { break }
                }
            }
            guard length <= data.count - place else { return nil }
            body = place..<place + length
        }

        /// Units without layer numbers belong to every operating point (§5.3.1).
        func isIncluded(in mask: Int) -> Bool {
            mask == 0 || !hasLayers || mask >> temporalLayer & 1 == 1 && mask >> (spatialLayer + 8) & 1 == 1
        }
    }

    /// Reads bits, starting with the highest bit of each byte. Bits beyond the end are 0.
    private struct Bits {
        let bytes: UnsafeBufferPointer<UInt8>
        private var place = 0

        init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        var isBeyondEnd: Bool { place > bytes.count * 8 }

        mutating func skip(_ count: Int) { place += count }

        mutating func next(_ count: Int) -> Int {
            (0..<count).reduce(0) { value, _ in value << 1 | (flag() ? 1 : 0) }
        }

        mutating func flag() -> Bool {
            defer { place += 1 }
            return place < bytes.count * 8 && bytes[place / 8] >> (7 - UInt8(place % 8)) & 1 == 1
        }

        /// Skips a number in uvlc() (§4.10.3).
        mutating func skipVariableLength() {
            var zeros = 0
            while !isBeyondEnd, !flag() { zeros += 1 }
            // After 32 zeros, the number is the maximum, and no further bits follow.
            if zeros < 32 { skip(zeros) }
        }
    }
}
