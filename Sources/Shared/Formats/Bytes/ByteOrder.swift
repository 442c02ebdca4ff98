/// The order in which the bytes of a number are stored.
public enum ByteOrder: Sendable, Hashable {
    case bigEndian, littleEndian

    /// Reads the first four bytes of a TIFF structure (TIFF 6.0 §2). Returns nil for other bytes.
    init?(tiff mark: some Collection<UInt8>) {
        if mark.elementsEqual("MM\0*".utf8) {
            self = .bigEndian
        } else if mark.elementsEqual("II*\0".utf8) {
            self = .littleEndian
        } else {
            return nil
        }
    }

    /// Returns the unsigned number in at most eight bytes. Numbers above 2^63 - 1, which no file offset reaches, become
    /// 2^63 - 1.
    public func number(_ bytes: ArraySlice<UInt8>) -> Int {
        let number =
            switch self {
            case .bigEndian: bytes.reduce(0) { $0 << 8 | Int($1) }
            case .littleEndian: bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            }
        return number < 0 ? .max : number
    }
}
