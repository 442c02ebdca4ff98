/// Arithmetic on sizes from files, none of which is negative: results beyond all numbers are the greatest number.
extension Int {
    func adding(saturating other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func multiplied(saturating other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
