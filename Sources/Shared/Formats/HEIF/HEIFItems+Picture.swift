import Support

extension HEIFItems {
    /// The maximum length of a chain of derived pictures. A longer chain is treated as a cycle.
    private static let depthLimit = 8
    /// More layers than any real picture has. Each layer may be a grid of thousands of tiles.
    private static let layerLimit = 16

    /// Returns the picture of an item, including the pictures from which it is derived. Throws `FormatFailure`.
    func picture(
        _ item: Int, depth: Int = 0, isLayer: Bool = false, _ window: inout SourceWindow
    ) throws -> HEIFPicture {
        guard depth < Self.depthLimit else {
            throw corrupt("a cycle or a chain of more than \(Self.depthLimit) derived pictures")
        }
        guard let kind = kinds[item] else {
            throw corrupt(item == primary ? "no primary picture" : "a derived picture whose source is missing")
        }
        switch kind {
        case "iden":
            let sources = parts[item] ?? []
            guard let part = sources.first, sources.count == 1 else {
                throw corrupt("a derived picture with \(sources.count) sources instead of one")
            }
            var picture = try picture(part, depth: depth + 1, isLayer: isLayer, &window)
            try place(&picture.placement, item)
            return picture
        case "iovl":
            guard !isLayer else { throw unsupported("nested layers") }
            let (layers, canvas, background) = try overlay(item, &window)
            return try picture(item, .layers(layers, canvas: canvas, background: background), canvas, tile: nil)
        default:
            let colours = try tiling(item, &window)
            let alpha = try alpha(of: item, &window)
            return try picture(
                item, .tiles(colours, alpha: alpha), colours.size, tile: kind == "grid" ? parts[item]?.first : nil)
        }
    }

    /// - Parameter tile: the item whose colour properties apply if `item` has none.
    private func picture(
        _ item: Int, _ content: HEIFPicture.Content, _ size: PixelSize, tile: Int?
    ) throws -> HEIFPicture {
        var placement = HEIFPlacement(size)
        try place(&placement, item)
        var profile: Range<Int>?
        var signal: (primaries: Int, transfer: Int)?
        for property in properties(of: item) + (tile.map { properties(of: $0) } ?? []) {
            switch property {
            case .profile(let range): profile = profile ?? range
            case .signal(_, let primaries, let transfer): signal = signal ?? (primaries, transfer)
            default: break
            }
        }
        return HEIFPicture(
            content: content, placement: placement, isPremultiplied: !(multipliers[item] ?? []).isEmpty,
            profile: profile, primaries: signal?.primaries ?? 2, transfer: signal?.transfer ?? 2)
    }

    private func place(_ placement: inout HEIFPlacement, _ item: Int) throws {
        for property in properties(of: item) {
            switch property {
            case .rotation(let quarters): placement.rotate(counterclockwiseQuarters: quarters)
            case .mirror(let topAndBottom): placement.mirror(topAndBottom: topAndBottom)
            case .crop(let crop):
                guard placement.crop(crop) else { throw corrupt("a crop that is larger than the picture") }
            default: break
            }
        }
    }

    // MARK: Coded pictures and tiles

    private func tiling(_ item: Int, _ window: inout SourceWindow) throws -> HEIFPicture.Tiling {
        guard kinds[item] == "grid" else {
            let coded = try coded(item)
            return HEIFPicture.Tiling(size: coded.size, columns: 1, tiles: [coded])
        }
        let tiles = try (parts[item] ?? []).map { try coded($0, in: item) }
        return try grid(item, tiles, &window)
    }

    /// Returns the alpha of an item. Like libavif and browsers, ignores rotations and crops of the alpha item.
    private func alpha(of item: Int, _ window: inout SourceWindow) throws -> HEIFPicture.Tiling? {
        if let alpha = alphaItem(of: item) { return try tiling(alpha, &window) }
        // Otherwise each tile of a grid may have an alpha item.
        guard kinds[item] == "grid", let tiles = parts[item] else { return nil }
        let alphas = tiles.compactMap(alphaItem)
        return alphas.count == tiles.count ? try grid(item, alphas.map { try coded($0) }, &window) : nil
    }

    private func alphaItem(of item: Int) -> Int? {
        auxiliaries[item]?.first { auxiliary in
            properties(of: auxiliary).contains { if case .alpha = $0 { true } else { false } }
        }
    }

    /// - Parameter grid: the item whose colour properties apply if a tile has none.
    private func coded(_ item: Int, in grid: Int? = nil) throws -> HEIFPicture.Coded {
        let codec: HEIFPicture.Coded.Codec
        switch kinds[item] {
        case "av01": codec = .av1
        case "hvc1": codec = .hevc
        case nil: throw corrupt("a missing tile")
        default: throw unsupported("a picture in a codec other than AV1 and HEVC")
        }
        var size: PixelSize?
        var configuration: (place: Range<Int>, isMonochrome: Bool, isWide: Bool, isSubsampled: Bool)?
        var signal: Range<Int>?
        var (layer, operatingPoint): (Int?, Int) = (nil, 0)
        for property in properties(of: item) {
            switch property {
            case .size(let pixels): size = size ?? pixels
            case .configuration(let place, let isMonochrome, let isWide, let isSubsampled):
                configuration = configuration ?? (place, isMonochrome, isWide, isSubsampled)
            case .signal(let place, _, _): signal = signal ?? place
            case .operatingPoint(let index): operatingPoint = index
            case .layer(let index): layer = index == 0xFFFF ? nil : index
            default: break
            }
        }
        for property in grid.map({ properties(of: $0) }) ?? [] {
            if case .signal(let place, _, _) = property { signal = signal ?? place }
        }
        guard let size else { throw corrupt("a picture without a size") }
        guard let configuration else { throw corrupt("a picture without a decoder configuration") }
        guard let data = places[item], data.contains(where: { !$0.isEmpty }) else {
            throw itemsElsewhere.contains(item)
                ? unsupported("a picture whose data is in another item or file") : corrupt("a picture without data")
        }
        if codec == .hevc, layer != nil { throw unsupported("a selected layer of HEVC") }
        return HEIFPicture.Coded(
            codec: codec, size: size, data: data, configuration: configuration.place,
            isMonochrome: configuration.isMonochrome, isWide: configuration.isWide,
            isSubsampled: configuration.isSubsampled, signal: signal, layer: layer, operatingPoint: operatingPoint)
    }

    /// Reads the grid that an item's data describes (ISO/IEC 23008-12 §6.6.2.3).
    private func grid(
        _ item: Int, _ tiles: [HEIFPicture.Coded], _ window: inout SourceWindow
    ) throws -> HEIFPicture.Tiling {
        var data = try DerivedData(self, item, limit: 12, &window)
        let width = data.isLong ? 4 : 2
        let (rows, columns) = (try data.number(1) + 1, try data.number(1) + 1)
        let size = PixelSize(width: try data.number(width), height: try data.number(width))
        guard size.width > 0, size.height > 0 else { throw corrupt("a width or height of 0") }
        guard let first = tiles.first, tiles.count == rows * columns else {
            throw corrupt("a grid of \(rows) x \(columns) with \(tiles.count) tiles")
        }
        guard tiles.allSatisfy({ $0.size == first.size }) else { throw corrupt("tiles of different sizes") }
        // All numbers have at most 32 bits, so products do not overflow. The last column and row may extend beyond the
        // picture by less than a tile.
        guard columns * first.size.width >= size.width, (columns - 1) * first.size.width < size.width,
            rows * first.size.height >= size.height, (rows - 1) * first.size.height < size.height
        else { throw corrupt("tiles that do not cover the picture") }
        return HEIFPicture.Tiling(size: size, columns: columns, tiles: tiles)
    }

    // MARK: Overlays

    /// Reads an overlay: layers on a canvas (ISO/IEC 23008-12 §6.6.2.2).
    private func overlay(
        _ item: Int, _ window: inout SourceWindow
    ) throws -> (layers: [HEIFPicture.Layer], canvas: PixelSize, background: [UInt16]) {
        let parts = parts[item] ?? []
        guard !parts.isEmpty else { throw corrupt("an overlay without layers") }
        guard parts.count <= Self.layerLimit else { throw unsupported("more than \(Self.layerLimit) layers") }
        var data = try DerivedData(self, item, limit: 18 + 8 * parts.count, &window)
        let width = data.isLong ? 4 : 2
        let background = try (0..<4).map { _ in UInt16(try data.number(2)) }
        let canvas = PixelSize(width: try data.number(width), height: try data.number(width))
        guard canvas.width > 0, canvas.height > 0 else { throw corrupt("a width or height of 0") }
        let layers = try parts.map { part in
            let (x, y) = (try data.number(width), try data.number(width))
            return HEIFPicture.Layer(
                picture: try picture(part, depth: 1, isLayer: true, &window),
                x: data.isLong ? Int(Int32(truncatingIfNeeded: x)) : Int(Int16(truncatingIfNeeded: x)),
                y: data.isLong ? Int(Int32(truncatingIfNeeded: y)) : Int(Int16(truncatingIfNeeded: y)))
        }
        return (layers, canvas, background)
    }
}

/// The data of a derived item: a version, flags, and numbers.
private struct DerivedData {
    /// Whether sizes and positions have 32 bits instead of 16.
    let isLong: Bool
    private let items: HEIFItems
    private var bytes: ArraySlice<UInt8>

    init(_ items: HEIFItems, _ item: Int, limit: Int, _ window: inout SourceWindow) throws {
        self.items = items
        var all: [UInt8] = []
        for place in items.places[item] ?? [] where all.count < limit {
            let count = min(place.count, limit - all.count)
            guard let piece = try window.bytes(at: place.lowerBound, count) else {
                throw FormatFailure.truncated(items.format)
            }
            all += piece
        }
        bytes = all[...]
        isLong = all.count > 1 && all[1] & 1 == 1
        _ = try number(2)
    }

    mutating func number(_ width: Int) throws -> Int {
        guard bytes.count >= width else { throw items.corrupt("a truncated derived picture") }
        defer { bytes = bytes.dropFirst(width) }
        return ByteOrder.bigEndian.number(bytes.prefix(width))
    }
}
