/// A set of at most 256 colours, numbered in the order in which they came: a hash table with open addressing.
struct ColourTable {
    /// A power of two, so that it is at most a quarter full.
    private static let slots = 1024

    private(set) var colours: [PackedColour] = []
    private var keys = [UInt32](repeating: 0, count: slots)
    private var numbers = [UInt8](repeating: 0, count: slots)

    /// Adds an opaque colour; false if it is the 257th.
    mutating func insert(_ colour: PackedColour) -> Bool {
        let slot = slot(colour)
        if keys[slot] == colour.bits { return true }
        guard colours.count < 256 else { return false }
        keys[slot] = colour.bits
        numbers[slot] = UInt8(colours.count)
        colours.append(colour)
        return true
    }

    /// The number of an opaque colour; nil for one that is not there.
    func number(of colour: PackedColour) -> UInt8? {
        let slot = slot(colour)
        return keys[slot] == colour.bits ? numbers[slot] : nil
    }

    /// Where the colour is, or would be. No opaque colour has the key 0, which marks an empty slot.
    private func slot(_ colour: PackedColour) -> Int {
        // Fibonacci hashing: the high bits of a product with 2^32 divided by the golden ratio.
        var slot = Int((colour.bits &* 0x9E37_79B1) >> 22)
        while keys[slot] != 0 && keys[slot] != colour.bits { slot = (slot + 1) & (Self.slots - 1) }
        return slot
    }
}
