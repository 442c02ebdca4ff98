/// What SQLite keeps in memory that all processes share about the write-ahead log (sqlite.org/walformat.html §2.1): it
/// changes with each commit of whichever connection, and tells SQLite itself whether what it has read is still so.
struct LogHeader: Equatable {
    /// The version of the format that is described there.
    private static let format: UInt32 = 3_007_000

    /// 48 bytes, in the machine's order; the rest is nought.
    private let words: SIMD16<UInt32>

    /// Nil if the bytes are not those of a header that is in use.
    init?(_ words: SIMD16<UInt32>) {
        guard words[0] == Self.format, words[3] != 0 else { return nil }
        self.words = words
    }

    /// Counts commits.
    private var changes: UInt32 { words[2] }

    /// Whether exactly one commit lies between this header and a later one.
    func isFollowed(by later: LogHeader) -> Bool { later.changes == changes &+ 1 }
}
