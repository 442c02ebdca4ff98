/// Pointers to rows of up to three planes, in the form that libjpeg expects.
///
/// The table does not own the rows; the caller keeps them alive.
final class PlaneRowTable {
    typealias Row = UnsafeMutablePointer<UInt8>

    /// For each of three planes, the pointers to its rows.
    let planes: UnsafeMutablePointer<UnsafeMutablePointer<Row?>?>
    private let rows: UnsafeMutablePointer<Row?>

    /// - Parameter rowCounts: for at most three planes.
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
