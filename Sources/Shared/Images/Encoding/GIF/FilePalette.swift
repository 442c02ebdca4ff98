/// A palette as it stands in a GIF.
struct FilePalette {
    /// From 2 to 256, a power of two of them; what is missing is black.
    let colours: [PackedColour]
    /// The number of pixels that are left as they are.
    let transparent: UInt8?
    private let table: ColourTable
    private let numbers: [UInt8]

    /// - Parameter ordered: the colours by their numbers, of which a transparent one takes one as well.
    private init(_ ordered: [PackedColour]) {
        var table = ColourTable()
        var numbers: [UInt8] = []
        for (number, colour) in ordered.enumerated() where !colour.isTransparent {
            _ = table.insert(colour)
            numbers.append(UInt8(number))
        }
        var count = 2
        while count < ordered.count { count *= 2 }
        let black = PackedColour(red: 0, green: 0, blue: 0)
        colours = ordered.map { $0.isTransparent ? black : $0 } + Array(repeating: black, count: count - ordered.count)
        transparent = ordered.firstIndex { $0.isTransparent }.map { UInt8($0) }
        self.table = table
        self.numbers = numbers
    }

    /// A palette for one frame. Spare colours are in it as far as there is room without making it longer.
    init(_ frame: FrameColours) {
        var all = frame.needed.colours
        let others = frame.spare.colours.filter { frame.needed.number(of: $0) == nil }
        let leavesOut = frame.leavesOut || all.count + others.count > 256
        var room = 2
        while room < all.count + (leavesOut || !others.isEmpty ? 1 : 0) { room *= 2 }
        let isEnough = !leavesOut && all.count + others.count <= room
        if !isEnough { all.append(.transparent) }
        self.init(all + others.prefix(max(room - all.count, 0)))
    }

    /// A palette for as many of the frames as it can hold all colours of, taken in their order. Colours of many frames
    /// have the lowest numbers, so that frames of few colours have short codes.
    init(sharedBy frames: [FrameColours]) {
        let needsTransparent = frames.contains { $0.leavesOut || !$0.spare.colours.isEmpty }
        let room = needsTransparent ? 255 : 256
        var shared = ColourTable()
        var uses: [Int] = []
        for frame in frames {
            let wanted = frame.needed.colours
            let added = wanted.count { shared.number(of: $0) == nil }
            guard shared.colours.count + added <= room else { continue }
            for colour in wanted {
                if let number = shared.number(of: colour) {
                    uses[Int(number)] += 1
                } else {
                    _ = shared.insert(colour)
                    uses.append(1)
                }
            }
        }
        var ranked = zip(shared.colours, uses).map { (colour: $0, uses: $1) }
        if needsTransparent {
            ranked.insert((.transparent, frames.count { $0.leavesOut || !$0.spare.colours.isEmpty }), at: 0)
        }
        // Stable: equal ones stay in order.
        let order = ranked.indices.sorted { (ranked[$1].uses, $0) < (ranked[$0].uses, $1) }
        self.init(order.map { ranked[$0].colour })
    }

    /// The number of a colour; nil if it has not that one.
    func number(of colour: PackedColour) -> UInt8? { table.number(of: colour).map { numbers[Int($0)] } }

    /// Whether a frame of these colours can be drawn in it.
    func serves(_ frame: FrameColours) -> Bool {
        guard frame.needed.colours.allSatisfy({ table.number(of: $0) != nil }) else { return false }
        return transparent != nil
            || !frame.leavesOut && frame.spare.colours.allSatisfy { table.number(of: $0) != nil }
    }
}
