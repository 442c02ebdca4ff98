/// An AVIF or HEIC file, built box by box.
public struct DrawnHEIF: Sendable {
    public struct Item: Sendable {
        public var kind: String
        public var data: [UInt8]
        /// Property boxes, in the order of their association.
        public var properties: [[UInt8]]
        /// The IDs of the items of a derived picture.
        public var parts: [Int]
        /// The ID of the item that has this item as its alpha plane.
        public var alphaOf: Int?
        /// Whether the data is in the box `idat` instead of `mdat`.
        public var isInner = false

        public init(
            _ kind: String, _ data: [UInt8] = [], _ properties: [[UInt8]] = [], parts: [Int] = [],
            alphaOf: Int? = nil, isInner: Bool = false
        ) {
            self.kind = kind
            self.data = data
            self.properties = properties
            self.parts = parts
            self.alphaOf = alphaOf
            self.isInner = isInner
        }
    }

    public var brand: String
    /// Item IDs start with 1, the primary item.
    public var items: [Item]
    /// Added to the length of each item's data in `iloc`.
    public var excess = 0

    public init(_ brand: String, _ items: [Item]) {
        self.brand = brand
        self.items = items
    }

    public var bytes: [UInt8] {
        let head = Self.box("ftyp", Array((brand + "\0\0\0\0mif1" + brand).utf8))
        let start = head.count + meta(dataStart: 0).count + 8
        return head + meta(dataStart: start) + Self.box("mdat", items.flatMap { $0.isInner ? [] : $0.data })
    }

    private func meta(dataStart: Int) -> [UInt8] {
        var (places, entries, references, associations): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
        var (outer, inner) = (dataStart, 0)
        var property = 0
        for (index, item) in items.enumerated() {
            let id = Self.number(index + 1, 2)
            let length = Self.number(item.data.count + excess, 4)
            places += id + Self.number(item.isInner ? 1 : 0, 2) + [0, 0, 0, 1]
            places += Self.number(item.isInner ? inner : outer, 4) + length
            if item.isInner { inner += item.data.count } else { outer += item.data.count }
            entries += Self.fullBox("infe", version: 2, id + [0, 0] + Array(item.kind.utf8) + [0])
            if !item.parts.isEmpty {
                let parts = item.parts.flatMap { Self.number($0, 2) }
                references += Self.box("dimg", id + Self.number(item.parts.count, 2) + parts)
            }
            if let other = item.alphaOf { references += Self.box("auxl", id + [0, 1] + Self.number(other, 2)) }
            associations += id + [UInt8(item.properties.count)]
            for _ in item.properties {
                property += 1
                associations += Self.number(property, 2)
            }
        }
        let count = Self.number(items.count, 2)
        let all = Self.box("ipco", items.flatMap { $0.properties.flatMap { $0 } })
        let boxes = [
            Self.fullBox("pitm", [0, 1]), Self.fullBox("iloc", version: 1, [0x44, 0] + count + places),
            Self.fullBox("iinf", count + entries),
            references.isEmpty ? [] : Self.fullBox("iref", references),
            Self.box("iprp", all + Self.fullBox("ipma", flags: 1, Self.number(items.count, 4) + associations)),
            Self.box("idat", items.flatMap { $0.isInner ? $0.data : [] }),
        ]
        return Self.fullBox("meta", boxes.flatMap { $0 })
    }

    // MARK: Properties

    public static func size(_ width: Int, _ height: Int) -> [UInt8] {
        fullBox("ispe", number(width, 4) + number(height, 4))
    }

    public static func rotation(_ counterclockwiseQuarters: UInt8) -> [UInt8] {
        box("irot", [counterclockwiseQuarters])
    }

    public static func mirror(topAndBottom: Bool) -> [UInt8] { box("imir", [topAndBottom ? 0 : 1]) }

    /// - Parameters:
    ///   - right: the distance of the crop's centre to the right of the picture's centre, in half pixels.
    ///   - down: the distance below the picture's centre, in half pixels.
    public static func crop(_ width: Int, _ height: Int, right: Int = 0, down: Int = 0) -> [UInt8] {
        box("clap", [width, 1, height, 1, right, 2, down, 2].flatMap { number($0, 4) })
    }

    public static let alpha = fullBox("auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))

    /// The sRGB code points of ITU-T H.273, with limited or full range.
    public static func signal(isFullRange: Bool) -> [UInt8] {
        box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 6, isFullRange ? 0x80 : 0])
    }

    /// The decoder configuration for 8-bit colour.
    public static let configuration = box("av1C", [0x81, 0, 0, 0])

    // MARK: Derived pictures

    /// Returns the data of a grid item.
    public static func grid(rows: Int, columns: Int, _ width: Int, _ height: Int) -> [UInt8] {
        [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + number(width, 2) + number(height, 2)
    }

    /// Returns the data of an overlay item on a grey canvas.
    public static func overlay(
        _ width: Int, _ height: Int, background: UInt8, alpha: UInt8 = 255, _ places: [(x: Int, y: Int)]
    ) -> [UInt8] {
        [0, 0] + [background, background, background, alpha].flatMap { [$0, $0] } + number(width, 2)
            + number(height, 2) + places.flatMap { number($0.x, 2) + number($0.y, 2) }
    }

    public static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
        number(body.count + 8, 4) + Array(type.utf8) + body
    }

    private static func fullBox(_ type: String, version: UInt8 = 0, flags: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, flags] + body)
    }

    private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
