import Support

/// The boxes of ISO base media files (ISO/IEC 14496-12 §4.2), which QuickTime calls atoms.
enum Boxes {
    enum Fault: Error {
        /// The file ends within a box.
        case truncated
        /// A malformed box. The fault is a noun phrase, such as `a box size of 4 bytes`.
        case corrupt(String)
    }

    struct Box {
        let type: FourCC
        /// The range of the content.
        let body: Range<Int>
        /// The range of the whole box: length, type and content.
        let whole: Range<Int>
    }

    /// Calls `visit` with each box in a range until `visit` returns false. Ignores padding at the end that is shorter
    /// than a box header. Throws `Fault`, and errors of the source and of `visit`.
    static func walk(
        _ window: inout SourceWindow, _ range: Range<Int>, visit: (inout SourceWindow, Box) throws -> Bool
    ) throws {
        let headLength = 8
        var start = range.lowerBound
        while range.upperBound - start >= headLength {
            guard let short = try window.bigEndian(at: start, 4), let letters = try window.bigEndian(at: start + 4, 4)
            else { throw Fault.truncated }
            var (size, content) = (short, headLength)
            if short == 1 {
                // A size of 64 bits follows.
                guard let high = try window.bigEndian(at: start + 8, 4),
                    let low = try window.bigEndian(at: start + 12, 4)
                else { throw Fault.truncated }
                guard high < 1 << 31 else { throw Fault.corrupt("a box size over 2^63 - 1 bytes") }
                (size, content) = (high << 32 | low, 16)
            } else if short == 0, range.upperBound == window.count {
                size = range.upperBound - start
            }
            guard size >= content else { throw Fault.corrupt("a box size of \(size) bytes") }
            guard size <= range.upperBound - start else {
                // A box that extends beyond its parent is invalid. A box that extends beyond the file may be truncated.
                throw range.upperBound == window.count ? Fault.truncated : .corrupt("a box that exceeds its parent")
            }
            let box = Box(
                type: FourCC(UInt32(letters)), body: start + content..<start + size, whole: start..<start + size)
            guard try visit(&window, box) else { return }
            start += size
        }
    }
}
