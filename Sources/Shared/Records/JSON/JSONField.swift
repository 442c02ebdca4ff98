/// Where a field's name (quotes included) and value lie in the bytes of an object.
struct JSONField: Sendable {
    var key: Range<Int>
    var value: Range<Int>
}
