/// The signature at the beginning of each file of a format.
struct Signature: Sendable {
    enum Match {
        case none
        /// The file ends within the signature.
        case cut
        case whole
    }

    /// Compares the first bytes of a file with the signature, without allocation.
    let match: @Sendable (_ head: ArraySlice<UInt8>) -> Match
}

extension Signature {
    /// Matches any of the patterns. A file may have any byte at the offsets in `blank`.
    init(_ patterns: [UInt8]..., blank: Range<Int> = 0..<0) {
        self.init { head in
            for pattern in patterns {
                let pairs = zip(pattern.indices, zip(head, pattern))
                guard pairs.allSatisfy({ $1.0 == $1.1 || blank.contains($0) }) else { continue }
                return head.count < pattern.count ? .cut : .whole
            }
            return .none
        }
    }
}
