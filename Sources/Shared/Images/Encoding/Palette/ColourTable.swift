/// A set of at most 256 colours, indexed in order of insertion: a hash table with open addressing.
struct ColourTable {
    /// A power of two. The table is at most a quarter full.
    private static let slots = 1024

    private(set) var colours: [PackedColour] = []
    /// The index in `colours` for each slot, or -1.
    private var places = [Int16](repeating: -1, count: slots)

    /// Adds a colour. Returns false if the table already has 256 other colours.
    mutating func insert(_ colour: PackedColour) -> Bool {
        let slot = slot(colour)
        if places[slot] >= 0 { return true }
        guard colours.count < 256 else { return false }
        places[slot] = Int16(colours.count)
        colours.append(colour)
        return true
    }

    func index(of colour: PackedColour) -> UInt8? {
        let place = places[slot(colour)]
        return place < 0 ? nil : UInt8(place)
    }

    /// Returns the slot of the colour, or the free slot to insert it in.
    private func slot(_ colour: PackedColour) -> Int {
        // Fibonacci hashing: the high bits of a product with 2^32 divided by the golden ratio.
        var slot = Int((colour.bits &* 0x9E37_79B1) >> 22)
        while places[slot] >= 0 && colours[Int(places[slot])] != colour { slot = (slot + 1) & (Self.slots - 1) }
        return slot
    }
}
