import Support

/// The primary picture of an AVIF or HEIC: items with properties in the boxes of an ISO base media file
/// (ISO/IEC 23008-12 §6; AVIF 1.1 §2).
enum HEIFLayout {
    /// Items and properties beyond any real file's; a picture in tiles has one for each.
    static let itemLimit = 16_384

    /// Size, alpha and whatever else the primary item's properties say. The size is that of the picture as a decoder
    /// gives it, cropped and turned. All data of all items must lie in the file. Throws `FormatFailure`.
    static func header(_ window: inout SourceWindow, _ format: ImageFormat) throws -> ImageHeader {
        let items = try HEIFItems(&window, format)
        return ImageHeader(
            format: format, storedSize: try items.size, isAnimated: false, hasAlpha: items.hasAlpha)
    }
}

/// What the `meta` box says about the primary item.
private struct HEIFItems {
    private enum Property {
        case size(PixelSize)
        /// Whether it swaps width and height.
        case rotation(swaps: Bool)
        case crop(PixelSize)
        case alpha
        case other
    }

    private let format: ImageFormat
    private var primary = 0
    private var properties: [Property] = []
    /// The numbers of an item's properties, from 1.
    private var associations: [Int: [Int]] = [:]
    private var kinds: [Int: FourCC] = [:]
    /// The parts of items that are made of others, such as the tiles of a grid.
    private var parts: [Int: [Int]] = [:]
    private var isDescribed = false
    private(set) var hasAlpha = false

    init(_ window: inout SourceWindow, _ format: ImageFormat) throws {
        self.format = format
        do {
            try describe(&window)
        } catch Boxes.Fault.truncated {
            throw FormatFailure.truncated(format)
        } catch Boxes.Fault.corrupt(let fault) {
            throw FormatFailure.corrupt(format, fault)
        }
        guard isDescribed else { throw FormatFailure.truncated(format) }
    }

    /// Of the primary item as it is shown.
    var size: PixelSize {
        get throws {
            guard var size = storedSize(of: primary) else { throw corrupt("no primary picture with a size") }
            guard let kind = kinds[primary] else { throw corrupt("a primary picture of no kind") }
            switch kind {
            case "av01", "hvc1": break
            case "grid": try checkTiles(of: size)
            default: throw FormatFailure.corrupt(format, "a picture that is neither AV1, HEVC nor tiles of these")
            }
            for number in associations[primary] ?? [] where number <= properties.count {
                switch properties[number - 1] {
                case .crop(let crop):
                    guard crop.width <= size.width, crop.height <= size.height else {
                        throw corrupt("a crop that is larger than the picture")
                    }
                    size = crop
                case .rotation(swaps: true): size = size.swapped
                default: break
                }
            }
            return size
        }
    }

    private func storedSize(of item: Int) -> PixelSize? {
        for number in associations[item] ?? [] where number <= properties.count {
            if case .size(let size) = properties[number - 1] { return size }
        }
        return nil
    }

    /// Tiles may reach beyond a grid, but not far: each is decoded.
    private func checkTiles(of size: PixelSize) throws {
        let tiles = parts[primary] ?? []
        guard !tiles.isEmpty else { throw corrupt("a grid without tiles") }
        var pixels = 0
        for tile in tiles {
            guard kinds[tile] == "av01" || kinds[tile] == "hvc1", let tile = storedSize(of: tile) else {
                throw corrupt("a tile without a picture")
            }
            // Both have 32 bits at most, and there are few of them.
            let (sum, overflow) = pixels.addingReportingOverflow(tile.pixels ?? .max)
            pixels = overflow ? .max : sum
        }
        // Widths and heights of tiles are at least 64, so that a small grid may be far smaller than its one tile.
        let (most, overflow) = (size.pixels ?? .max).multipliedReportingOverflow(by: 4)
        guard overflow || pixels <= most + (1 << 20) else { throw corrupt("tiles far larger than the picture") }
    }

    func corrupt(_ fault: String) -> FormatFailure { .corrupt(format, fault) }

    // MARK: Boxes

    private mutating func describe(_ window: inout SourceWindow) throws {
        let end = window.count
        try Boxes.walk(&window, 0..<end) { window, box in
            guard box.type == "meta" else { return true }
            // Version and flags come first.
            guard box.body.count >= 4 else { throw corrupt("an empty description") }
            try Boxes.walk(&window, box.body.dropFirst(4)) { window, box in
                try take(box, &window)
                return true
            }
            isDescribed = true
            return false
        }
    }

    private mutating func take(_ box: Boxes.Box, _ window: inout SourceWindow) throws {
        var reader = BoxReader(box.body)
        switch box.type {
        case "pitm":
            let version = try number(&reader, 4, &window) >> 24
            primary = try number(&reader, version == 0 ? 2 : 4, &window)
        case "iinf":
            let version = try number(&reader, 4, &window) >> 24
            let count = try limited(number(&reader, version == 0 ? 2 : 4, &window))
            kinds.reserveCapacity(count)
            try Boxes.walk(&window, reader.rest) { window, box in
                if box.type == "infe" { try takeKind(box.body, &window) }
                return kinds.count <= HEIFLayout.itemLimit
            }
        case "iref": try takeReferences(&reader, &window)
        case "iprp":
            try Boxes.walk(&window, box.body) { window, box in
                switch box.type {
                case "ipco":
                    try Boxes.walk(&window, box.body) { window, box in
                        let property = try property(box, &window)
                        properties.append(property)
                        _ = try limited(properties.count)
                        return true
                    }
                case "ipma": try takeAssociations(box.body, &window)
                default: break
                }
                return true
            }
        case "iloc": try checkPlaces(box.body, &window)
        default: break
        }
    }

    private mutating func takeKind(_ body: Range<Int>, _ window: inout SourceWindow) throws {
        var reader = BoxReader(body)
        let version = try number(&reader, 4, &window) >> 24
        // Older versions have no kinds.
        guard version >= 2 else { return }
        let item = try number(&reader, version == 2 ? 2 : 4, &window)
        _ = try number(&reader, 2, &window)
        kinds[item] = FourCC(UInt32(try number(&reader, 4, &window)))
    }

    private mutating func takeReferences(_ reader: inout BoxReader, _ window: inout SourceWindow) throws {
        let width = try number(&reader, 4, &window) >> 24 == 0 ? 2 : 4
        var total = 0
        try Boxes.walk(&window, reader.rest) { window, box in
            var reader = BoxReader(box.body)
            let from = try number(&reader, width, &window)
            let count = try number(&reader, 2, &window)
            total = try limited(total + count)
            for _ in 0..<count {
                let to = try number(&reader, width, &window)
                if box.type == "dimg" { parts[from, default: []].append(to) }
            }
            return true
        }
    }

    private mutating func takeAssociations(_ body: Range<Int>, _ window: inout SourceWindow) throws {
        var reader = BoxReader(body)
        let head = try number(&reader, 4, &window)
        let (itemWidth, numberWidth) = (head >> 24 == 0 ? 2 : 4, head & 1 == 0 ? 1 : 2)
        for _ in 0..<(try limited(number(&reader, 4, &window))) {
            let item = try number(&reader, itemWidth, &window)
            var numbers: [Int] = []
            for _ in 0..<(try number(&reader, 1, &window)) {
                // The highest bit says whether the property is essential.
                let number = try number(&reader, numberWidth, &window) & (numberWidth == 1 ? 0x7F : 0x7FFF)
                if number > 0 { numbers.append(number) }
            }
            associations[item] = numbers
        }
    }

    private mutating func property(_ box: Boxes.Box, _ window: inout SourceWindow) throws -> Property {
        var reader = BoxReader(box.body)
        switch box.type {
        case "ispe":
            _ = try number(&reader, 4, &window)
            let size = PixelSize(width: try number(&reader, 4, &window), height: try number(&reader, 4, &window))
            guard size.width > 0, size.height > 0 else { throw corrupt("a width or height of 0") }
            return .size(size)
        case "irot": return .rotation(swaps: try number(&reader, 1, &window) & 1 == 1)
        case "clap":
            let (width, height) = (try quotient(&reader, &window), try quotient(&reader, &window))
            guard width > 0, height > 0 else { throw corrupt("an empty crop") }
            return .crop(PixelSize(width: width, height: height))
        case "auxC":
            _ = try number(&reader, 4, &window)
            let text = try window.bytes(at: reader.rest.lowerBound, min(reader.rest.count, 44)) ?? []
            // MPEG's two names for alpha (ISO/IEC 23008-12 §6.5.8, 23091-2).
            let isAlpha = ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"]
                .contains { text.starts(with: $0.utf8) }
            if isAlpha { hasAlpha = true }
            return isAlpha ? .alpha : .other
        default: return .other
        }
    }

    /// A fraction, to the nearest whole number.
    private func quotient(_ reader: inout BoxReader, _ window: inout SourceWindow) throws -> Int {
        let (above, below) = (try number(&reader, 4, &window), try number(&reader, 4, &window))
        guard below > 0 else { throw corrupt("a crop by nothing") }
        return (above + below / 2) / below
    }

    /// The places of all items (ISO/IEC 14496-12 §8.11.3).
    private func checkPlaces(_ body: Range<Int>, _ window: inout SourceWindow) throws {
        var reader = BoxReader(body)
        let version = try number(&reader, 4, &window) >> 24
        let widths = try number(&reader, 2, &window)
        let (offsetWidth, lengthWidth, baseWidth) = (widths >> 12, widths >> 8 & 15, widths >> 4 & 15)
        let indexWidth = version == 0 ? 0 : widths & 15
        guard version <= 2, [offsetWidth, lengthWidth, baseWidth, indexWidth].allSatisfy({ [0, 4, 8].contains($0) })
        else { throw corrupt("places of an unknown kind") }
        var total = 0
        for _ in 0..<(try limited(number(&reader, version < 2 ? 2 : 4, &window))) {
            _ = try number(&reader, version < 2 ? 2 : 4, &window)
            let method = version == 0 ? 0 : try number(&reader, 2, &window) & 15
            // Which file, 0 for this one.
            let file = try number(&reader, 2, &window)
            let base = try number(&reader, baseWidth, &window)
            let count = try number(&reader, 2, &window)
            total = try limited(total + count)
            for _ in 0..<count {
                _ = try number(&reader, indexWidth, &window)
                let offset = try number(&reader, offsetWidth, &window)
                let length = try number(&reader, lengthWidth, &window)
                guard file == 0, method == 0 else { continue }
                let (start, overflow) = base.addingReportingOverflow(offset)
                let (end, isFar) = start.addingReportingOverflow(length)
                guard !overflow, !isFar, end <= window.count else { throw FormatFailure.truncated(format) }
            }
        }
    }

    private func limited(_ count: Int) throws -> Int {
        guard count <= HEIFLayout.itemLimit else { throw corrupt("more than \(HEIFLayout.itemLimit) items") }
        return count
    }

    private func number(_ reader: inout BoxReader, _ width: Int, _ window: inout SourceWindow) throws -> Int {
        guard let number = try reader.number(width, &window) else { throw corrupt("a box that is too short") }
        return number
    }
}

/// The numbers in a box, one after the other.
private struct BoxReader {
    private(set) var rest: Range<Int>

    init(_ body: Range<Int>) { rest = body }

    /// The next unsigned number, of 0 to 8 bytes; nil if the box has too few. Those over 2^63 - 1 become that.
    mutating func number(_ width: Int, _ window: inout SourceWindow) throws -> Int? {
        guard width > 0 else { return 0 }
        guard width <= rest.count, let bytes = try window.bytes(at: rest.lowerBound, width) else { return nil }
        rest = rest.lowerBound + width..<rest.upperBound
        guard width == 8 else { return ByteOrder.bigEndian.number(bytes) }
        let high = ByteOrder.bigEndian.number(bytes.prefix(4))
        return high < 1 << 31 ? high << 32 | ByteOrder.bigEndian.number(bytes.suffix(4)) : .max
    }
}
