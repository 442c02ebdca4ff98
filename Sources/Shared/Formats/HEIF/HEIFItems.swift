import Support

/// The items of the `meta` box, with their properties, their references and the location of their data.
struct HEIFItems {
    enum Property {
        case size(PixelSize)
        /// Quarter turns counterclockwise.
        case rotation(quarters: Int)
        case mirror(topAndBottom: Bool)
        case crop(HEIFCrop)
        case alpha
        /// A decoder configuration. The range is the whole box.
        case configuration(Range<Int>, isMonochrome: Bool, isWide: Bool, isSubsampled: Bool)
        case profile(Range<Int>)
        /// The range is the whole box.
        case signal(Range<Int>, primaries: Int, transfer: Int)
        case operatingPoint(Int)
        /// 0xFFFF selects the highest layer.
        case layer(Int)
        case other
    }

    let format: ImageFormat
    private(set) var primary = 0
    private(set) var kinds: [Int: FourCC] = [:]
    /// The parts of derived items, such as the tiles of a grid.
    private(set) var parts: [Int: [Int]] = [:]
    /// The auxiliary pictures of an item, such as alpha.
    private(set) var auxiliaries: [Int: [Int]] = [:]
    /// The alpha items that premultiply an item's colours.
    private(set) var multipliers: [Int: [Int]] = [:]
    /// The ranges of the file that contain an item's data, in order. Excludes data in other files or items.
    private(set) var places: [Int: [Range<Int>]] = [:]
    private var properties: [Property] = []
    /// Indices into `properties`, counted from 1, by item.
    private var associations: [Int: [Int]] = [:]
    /// The ranges of an item's data in the content of the `idat` box.
    private var innerPlaces: [Int: [Range<Int>]] = [:]
    private var innerData: Range<Int>?
    private(set) var itemsElsewhere: Set<Int> = []
    private var isDescribed = false
    private var hasTracks = false

    init(_ window: inout SourceWindow, _ format: ImageFormat) throws {
        self.format = format
        do {
            try describe(&window)
        } catch Boxes.Fault.truncated {
            throw FormatFailure.truncated(format)
        } catch Boxes.Fault.corrupt(let fault) {
            throw FormatFailure.corrupt(format, fault)
        }
        guard isDescribed else {
            throw hasTracks ? unsupported("a sequence without a still picture") : .truncated(format)
        }
        try placeInnerData()
    }

    func properties(of item: Int) -> [Property] {
        (associations[item] ?? []).compactMap { $0 <= properties.count ? properties[$0 - 1] : nil }
    }

    func corrupt(_ fault: String) -> FormatFailure { .corrupt(format, fault) }

    func unsupported(_ feature: String) -> FormatFailure { .notRead(format, feature) }

    // MARK: Boxes

    private mutating func describe(_ window: inout SourceWindow) throws {
        let end = window.count
        try Boxes.walk(&window, 0..<end) { window, box in
            if box.type == "moov" { hasTracks = true }
            guard box.type == "meta" else { return true }
            // The version and flags come first.
            guard box.body.count >= 4 else { throw corrupt("an empty meta box") }
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
                        properties.append(try property(box, &window))
                        _ = try limited(properties.count)
                        return true
                    }
                case "ipma": try takeAssociations(box.body, &window)
                default: break
                }
                return true
            }
        case "iloc": try takePlaces(box.body, &window)
        case "idat": innerData = box.body
        default: break
        }
    }

    private mutating func takeKind(_ body: Range<Int>, _ window: inout SourceWindow) throws {
        var reader = BoxReader(body)
        let version = try number(&reader, 4, &window) >> 24
        // Older versions have no item types.
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
                switch box.type {
                case "dimg": parts[from, default: []].append(to)
                case "auxl": auxiliaries[to, default: []].append(from)
                case "prem": multipliers[from, default: []].append(to)
                default: break
                }
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
                // The highest bit is set if the property is essential.
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
        case "irot": return .rotation(quarters: try number(&reader, 1, &window) & 3)
        case "imir": return .mirror(topAndBottom: try number(&reader, 1, &window) & 1 == 0)
        case "clap":
            let (width, height) = (try quotient(&reader, &window), try quotient(&reader, &window))
            guard width > 0, height > 0 else { throw corrupt("an empty crop") }
            let (right, down) = (try quotient(&reader, &window), try quotient(&reader, &window))
            return .crop(HEIFCrop(width: width, height: height, right: right, down: down))
        case "av1C":
            // AV1 Codec ISO Media File Format Binding §2.3.3: flags for monochrome, depth and chroma.
            _ = try number(&reader, 2, &window)
            let bits = try number(&reader, 1, &window)
            return .configuration(
                box.whole, isMonochrome: bits & 0x10 != 0, isWide: bits & 0x40 != 0, isSubsampled: bits & 0x0C == 0x0C)
        case "hvcC":
            // ISO/IEC 14496-15 §8.3.3: after 16 other bytes, the low bits of one byte are the chroma format, and the
            // low bits of the next byte are the luma bit depth.
            _ = try (number(&reader, 8, &window), number(&reader, 8, &window))
            let (chroma, luma) = (try number(&reader, 1, &window), try number(&reader, 1, &window))
            return .configuration(
                box.whole, isMonochrome: chroma & 3 == 0, isWide: luma & 7 != 0, isSubsampled: chroma & 3 == 1)
        case "colr":
            switch FourCC(UInt32(try number(&reader, 4, &window))) {
            case "nclx":
                return .signal(
                    box.whole, primaries: try number(&reader, 2, &window), transfer: try number(&reader, 2, &window))
            case "prof", "rICC": return .profile(reader.rest)
            default: return .other
            }
        // AV1 Image File Format §2.3.2.1
        case "a1op": return .operatingPoint(try number(&reader, 1, &window))
        // ISO/IEC 23008-12 §6.5.11
        case "lsel": return .layer(try number(&reader, 2, &window))
        case "auxC":
            _ = try number(&reader, 4, &window)
            let text = try window.bytes(at: reader.rest.lowerBound, min(reader.rest.count, 44)) ?? []
            // MPEG has two names for alpha (ISO/IEC 23008-12 §6.5.8, 23091-2).
            let isAlpha = ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"]
                .contains { text.starts(with: $0.utf8) }
            return isAlpha ? .alpha : .other
        default: return .other
        }
    }

    /// Reads a fraction of 32-bit numbers with a signed numerator.
    private func quotient(_ reader: inout BoxReader, _ window: inout SourceWindow) throws -> Double {
        let (above, below) = (try number(&reader, 4, &window), try number(&reader, 4, &window))
        guard below > 0 else { throw corrupt("a crop with a denominator of 0") }
        return Double(Int32(truncatingIfNeeded: above)) / Double(below)
    }

    /// Reads the location of the items' data (ISO/IEC 14496-12 §8.11.3).
    private mutating func takePlaces(_ body: Range<Int>, _ window: inout SourceWindow) throws {
        var reader = BoxReader(body)
        let version = try number(&reader, 4, &window) >> 24
        let widths = try number(&reader, 2, &window)
        let (offsetWidth, lengthWidth, baseWidth) = (widths >> 12, widths >> 8 & 15, widths >> 4 & 15)
        let indexWidth = version == 0 ? 0 : widths & 15
        guard version <= 2 else { throw unsupported("item locations of version \(version)") }
        guard [offsetWidth, lengthWidth, baseWidth, indexWidth].allSatisfy({ [0, 4, 8].contains($0) }) else {
            throw corrupt("item locations with an invalid field width")
        }
        var total = 0
        for _ in 0..<(try limited(number(&reader, version < 2 ? 2 : 4, &window))) {
            let item = try number(&reader, version < 2 ? 2 : 4, &window)
            let method = version == 0 ? 0 : try number(&reader, 2, &window) & 15
            // 0 if the data is in this file.
            let file = try number(&reader, 2, &window)
            let base = try number(&reader, baseWidth, &window)
            let count = try number(&reader, 2, &window)
            total = try limited(total + count)
            for _ in 0..<count {
                _ = try number(&reader, indexWidth, &window)
                let offset = try number(&reader, offsetWidth, &window)
                let length = try number(&reader, lengthWidth, &window)
                let (start, overflow) = base.addingReportingOverflow(offset)
                let (end, isFar) = start.addingReportingOverflow(length)
                switch (file, method) {
                case (0, 0):
                    guard !overflow, !isFar, end <= window.count else { throw FormatFailure.truncated(format) }
                    // A length of 0 means up to the end of the file.
                    places[item, default: []].append(start..<(length == 0 ? window.count : end))
                case (0, 1):
                    guard !overflow, !isFar else { throw corrupt("data outside its box") }
                    innerPlaces[item, default: []].append(start..<end)
                default: itemsElsewhere.insert(item)
                }
            }
        }
    }

    /// Converts ranges of the `idat` box, which may follow `iloc`, to ranges of the file.
    private mutating func placeInnerData() throws {
        for (item, ranges) in innerPlaces {
            places[item] = try ranges.map { range in
                guard let innerData, range.upperBound <= innerData.count else { throw corrupt("data outside its box") }
                let start = innerData.lowerBound + range.lowerBound
                return start..<(range.isEmpty ? innerData.upperBound : start + range.count)
            }
        }
        innerPlaces = [:]
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
