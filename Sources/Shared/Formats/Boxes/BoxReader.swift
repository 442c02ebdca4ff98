/// Reads consecutive numbers from the body of a box.
struct BoxReader {
    private(set) var rest: Range<Int>

    init(_ body: Range<Int>) { rest = body }

    /// Reads an unsigned number of `width` bytes, 0 to 8. Returns at most 2^63 - 1, or nil if the box has too few bytes
    /// left.
    mutating func number(_ width: Int, _ window: inout SourceWindow) throws -> Int? {
        guard width > 0 else { return 0 }
        guard width <= rest.count, let number = try window.bigEndian(at: rest.lowerBound, width) else { return nil }
        rest = rest.lowerBound + width..<rest.upperBound
        return number
    }
}
