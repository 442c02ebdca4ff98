/// A rectangle of a canvas.
struct CanvasArea: Equatable {
    var columns = 0..<0
    var rows = 0..<0

    var count: Int { columns.count * rows.count }

    private static func span(_ one: Range<Int>, _ other: Range<Int>) -> Range<Int> {
        min(one.lowerBound, other.lowerBound)..<max(one.upperBound, other.upperBound)
    }

    func union(_ other: CanvasArea) -> CanvasArea {
        CanvasArea(columns: Self.span(columns, other.columns), rows: Self.span(rows, other.rows))
    }
}
