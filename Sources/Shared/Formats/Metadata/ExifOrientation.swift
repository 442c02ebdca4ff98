/// Finds the orientation in an Exif block, a TIFF file within a picture (TIFF 6.0 §2, CIPA DC-008 4.5.2 and 4.6.4).
enum ExifOrientation {
    /// The sizes in bytes of SHORT, LONG, SSHORT and SLONG, by type number (TIFF 6.0 §2).
    private static let integerWidths = [3: 2, 4: 4, 8: 2, 9: 4]

    /// Returns the orientation in the first directory of the TIFF file in `range`: tag 0x0112, an integer from 1 to 8.
    /// Returns `upright` for an invalid block or tag. The type should be SHORT, but cameras also write LONG and SLONG.
    /// Skips a leading `Exif\0\0`, as in JPEG. Reads at most 512 entries.
    static func read(_ window: inout SourceWindow, in range: Range<Int>) throws -> Orientation {
        try find(&window, in: range) ?? .upright
    }

    private static func find(_ window: inout SourceWindow, in range: Range<Int>) throws -> Orientation? {
        var base = range.lowerBound
        if try window.has("Exif\0\0", at: base) { base += 6 }
        guard let order = try window.bytes(at: base, 4).flatMap(ByteOrder.init(tiff:)) else { return nil }
        func number(_ offset: Int, _ width: Int) throws -> Int? {
            guard offset >= base, offset <= range.upperBound - width else { return nil }
            return try window.bytes(at: offset, width).map { order.number($0) }
        }
        // Offsets count from the TIFF header. They have 32 bits and Int has 64, so sums cannot overflow.
        guard let directory = try number(base + 4, 4), let entries = try number(base + directory, 2) else { return nil }
        for index in 0..<min(entries, 512) {
            let entry = base + directory + 2 + index * 12
            guard let tag = try number(entry, 2) else { return nil }
            guard tag == 0x0112 else { continue }
            guard let type = try number(entry + 2, 2), let width = integerWidths[type],
                try number(entry + 4, 4) == 1, let value = try number(entry + 8, width)
            else { return nil }
            return UInt8(exactly: value).flatMap(Orientation.init(rawValue:))
        }
        return nil
    }
}
