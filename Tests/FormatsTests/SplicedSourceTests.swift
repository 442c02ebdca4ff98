import Formats
import Support
import Testing

@Suite struct SplicedSourceTests {
    @Test func readsMayCrossPieces() throws {
        let stored = MemorySource([1, 2, 0, 0, 5, 6])
        let source = SplicedSource(stored, [.stored(0..<2), .made([0x12, 0x34]), .stored(4..<6)])
        #expect(source.count == 6)
        for start in 0...6 {
            for end in start...6 {
                #expect(try source.bytes(start..<end) == Array([1, 2, 0x12, 0x34, 5, 6][start..<end]))
            }
        }
    }

    @Test func readEndsWhereAStoredPieceExceedsTheSource() throws {
        let source = SplicedSource(MemorySource([1, 2, 3]), [.made([9]), .stored(1..<5), .made([8])])
        #expect(source.count == 6)
        #expect(try source.bytes(0..<6) == [9, 2, 3])
    }
}
