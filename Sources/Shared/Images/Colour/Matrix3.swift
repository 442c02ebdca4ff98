/// A 3 x 3 matrix, for colours as column vectors.
struct Matrix3: Equatable {
    typealias Row = (Double, Double, Double)

    /// Row-major.
    private(set) var values: [Double]

    init(rows a: Row, _ b: Row, _ c: Row) { values = [a.0, a.1, a.2, b.0, b.1, b.2, c.0, c.1, c.2] }

    init(columns a: Row, _ b: Row, _ c: Row) {
        self.init(rows: (a.0, b.0, c.0), (a.1, b.1, c.1), (a.2, b.2, c.2))
    }

    init(diagonal a: Double, _ b: Double, _ c: Double) { self.init(rows: (a, 0, 0), (0, b, 0), (0, 0, c)) }

    static let identity = Matrix3(diagonal: 1, 1, 1)

    static func * (matrix: Matrix3, colour: Row) -> Row {
        let m = matrix.values
        func sum(_ i: Int) -> Double { m[i] * colour.0 + m[i + 1] * colour.1 + m[i + 2] * colour.2 }
        return (sum(0), sum(3), sum(6))
    }

    static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
        func column(_ i: Int) -> Row { a * (b.values[i], b.values[i + 3], b.values[i + 6]) }
        return Matrix3(columns: column(0), column(1), column(2))
    }

    /// Nil if the matrix is almost singular.
    var inverse: Matrix3? {
        let m = values
        func minor(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Double { m[a] * m[d] - m[b] * m[c] }
        let (x, y, z) = (minor(4, 5, 7, 8), minor(5, 3, 8, 6), minor(3, 4, 6, 7))
        let determinant = m[0] * x + m[1] * y + m[2] * z
        guard determinant.isFinite, abs(determinant) > 1e-9 else { return nil }
        let adjugate = Matrix3(
            rows: (x, minor(2, 1, 8, 7), minor(1, 2, 4, 5)), (y, minor(0, 2, 6, 8), minor(2, 0, 5, 3)),
            (z, minor(1, 0, 7, 6), minor(0, 1, 3, 4)))
        return adjugate * Matrix3(diagonal: 1 / determinant, 1 / determinant, 1 / determinant)
    }
}
