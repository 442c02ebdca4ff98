/// The order in which the bytes of a number are stored.
public enum ByteOrder: Sendable, Hashable {
    case bigEndian, littleEndian

    /// Reads the byte order from the first four bytes of a TIFF structure (TIFF 6.0 §2). Returns nil for other bytes.
    init?(tiff mark: some Collection<UInt8>) {
        if mark.elementsEqual("MM\0*".utf8) {
            self = .bigEndian
        } else if mark.elementsEqual("II*\0".utf8) {
            self = .littleEndian
        } else {
            return nil
        }
    }

    /// Returns the unsigned number in at most seven bytes.
    public func number(_ bytes: ArraySlice<UInt8>) -> Int {
        switch self {
        case .bigEndian: bytes.reduce(0) { $0 << 8 | Int($1) }
        case .littleEndian: bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
