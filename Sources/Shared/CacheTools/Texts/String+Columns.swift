/// Cells of a table, of text whose characters each take one column.
extension String {
    /// The text with blanks behind it, up to so many columns.
    public func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text with blanks before it, up to so many columns.
    public func aligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
