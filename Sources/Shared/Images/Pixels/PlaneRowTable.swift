/// Pointers to rows of up to three planes in the shape in which libjpeg takes them.
///
/// The table owns its own memory, not that of the rows: the caller that sets them keeps it alive during the call.
final class PlaneRowTable {
    typealias Row = UnsafeMutablePointer<UInt8>

    /// A pointer for each of three planes to its rows' pointers.
    let planes: UnsafeMutablePointer<UnsafeMutablePointer<Row?>?>
    private let rows: UnsafeMutablePointer<Row?>

    /// - Parameter rowCounts: rows of each plane, at most three planes.
    init(rowCounts: [Int]) {
        let total = rowCounts.reduce(0, +)
        rows = .allocate(capacity: max(total, 1))
        rows.initialize(repeating: nil, count: max(total, 1))
        planes = .allocate(capacity: 3)
        planes.initialize(repeating: nil, count: 3)
        var next = rows
        for (plane, count) in rowCounts.enumerated() {
            planes[plane] = next
            next += count
        }
    }

    deinit {
        rows.deallocate()
        planes.deallocate()
    }

    func set(_ plane: Int, _ row: Int, _ pointer: Row) { planes[plane]![row] = pointer }
}
