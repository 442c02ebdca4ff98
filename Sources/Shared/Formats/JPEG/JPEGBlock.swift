/// A block of 8 x 8 coefficients.
package enum JPEGBlock {
    /// The row-major position of each coefficient in the order of coding (ITU-T T.81, figure A.6).
    package static let zigzag: [Int] = (0..<15).flatMap { sum in
        let places = (max(0, sum - 7)...min(sum, 7)).map { row in row * 8 + sum - row }
        return sum % 2 == 1 ? places : places.reversed()
    }
}
