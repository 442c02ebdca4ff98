/// A set of at most 256 colours, numbered in the order in which they came: a hash table with open addressing.
struct ColourTable {
    /// A power of two, so that it is at most a quarter full.
    private static let slots = 1024

    private(set) var colours: [PackedColour] = []
    /// The place in `colours` of each slot's colour, and -1 for an empty one.
    private var places = [Int16](repeating: -1, count: slots)

    /// Adds a colour; false if it is the 257th.
    mutating func insert(_ colour: PackedColour) -> Bool {
        let slot = slot(colour)
        if places[slot] >= 0 { return true }
        guard colours.count < 256 else { return false }
        places[slot] = Int16(colours.count)
        colours.append(colour)
        return true
    }

    /// The number of a colour; nil for one that is not there.
    func number(of colour: PackedColour) -> UInt8? {
        let place = places[slot(colour)]
        return place < 0 ? nil : UInt8(place)
    }

    /// Where the colour is, or would be.
    private func slot(_ colour: PackedColour) -> Int {
        // Fibonacci hashing: the high bits of a product with 2^32 divided by the golden ratio.
        var slot = Int((colour.bits &* 0x9E37_79B1) >> 22)
        while places[slot] >= 0 && colours[Int(places[slot])] != colour { slot = (slot + 1) & (Self.slots - 1) }
        return slot
    }
}
