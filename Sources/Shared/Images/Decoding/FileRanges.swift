/// Parts of a file that are read as if they were all of it.
struct FileRanges: Hashable {
    /// In order, none empty.
    let ranges: [Range<Int>]

    /// Where byte `offset` of the parts lies in the file, up to the end of its part; nil behind the last one.
    func place(of offset: Int) -> Range<Int>? {
        var rest = offset
        for range in ranges {
            if rest < range.count { return range.lowerBound + rest..<range.upperBound }
            rest -= range.count
        }
        return nil
    }
}
