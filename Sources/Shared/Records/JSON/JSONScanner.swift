import Support

/// Scans one JSON value (RFC 8259) in bytes that arrive in pieces, and records the ranges of an object's fields.
///
/// This pushdown automaton can stop and resume at any byte, so it scans each byte once, however many reads deliver the
/// value. Offsets are relative to the value's first byte. Strings must be valid UTF-8 without raw control characters.
/// Cost: O(n); allocates only the list of fields.
struct JSONScanner {
    enum Verdict: Equatable {
        /// The bytes so far are valid but incomplete.
        case needsMore
        /// The value ends before this offset.
        case complete(end: Int)
        case invalid(JSONFault, at: Int)
    }

    /// The maximum nesting depth, of the same order as jq's limit. Deeper input is hostile or accidental.
    static let maxDepth = 512

    /// The maximum number of fields of the outermost object. Real records have a few dozen fields, and a `JSONField`
    /// can be larger than the field itself.
    static let maxFields = 10_000

    private enum State {
        case value, valueOrEnd, keyOrEnd, key, colon, commaOrEnd
        case string, escape, hex, continuation
        case literal
        case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
    }

    /// The first `maxFields` fields of the outermost object, in order.
    private(set) var fields: [JSONField] = []
    private(set) var hasTooManyFields = false
    /// The number of line feeds scanned. All are between tokens.
    private(set) var lineFeeds = 0
    /// Whether a line feed or carriage return was scanned.
    private(set) var hasLineBreak = false

    private var state = State.value
    private var position = 0
    private var depth = 0
    /// One bit per nesting level: set for an object, clear for an array.
    private var kinds = [UInt64](repeating: 0, count: maxDepth / 64)
    private var inKey = false
    private var hexDigitsLeft = 0
    private var literalRest: [UInt8] = []
    private var continuationsLeft = 0
    private var continuationBounds: (low: UInt8, high: UInt8) = (0x80, 0xBF)
    /// False after `rebase`, which makes offsets of fields meaningless.
    private var notesFields = true
    private var keyStart = 0
    private var keyEnd = 0
    private var valueStart = 0

    init() { fields.reserveCapacity(16) }

    /// Prepares for the next value.
    mutating func reset() {
        fields = []
        fields.reserveCapacity(16)
        hasTooManyFields = false
        lineFeeds = 0
        hasLineBreak = false
        state = .value
        position = 0
        depth = 0
        notesFields = true
    }

    /// Restarts offsets at 0, after the caller has dropped the scanned bytes, and stops recording fields.
    mutating func rebase() {
        position = 0
        notesFields = false
    }

    /// Continues the scan. `bytes` contains all bytes of the value so far, including scanned bytes, or all bytes since
    /// `rebase`.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Verdict {
        guard let base = bytes.baseAddress else { return .needsMore }
        let count = bytes.count
        var i = position
        while i < count {
            let byte = base[i]
            switch state {
            case .string:
                i = Self.plainEnd(base, from: i, to: count)
                guard i < count else { break }
                switch base[i] {
                case UInt8(ascii: "\""):
                    i += 1
                    if inKey {
                        if depth == 1 { keyEnd = i }
                        state = .colon
                    } else if endValue(at: i) {
                        return .complete(end: i)
                    }
                case UInt8(ascii: "\\"):
                    i += 1
                    state = .escape
                case 0..<0x20: return .invalid(.controlCharacter, at: i)
                case let lead:
                    guard beginSequence(lead) else { return .invalid(.encoding, at: i) }
                    i += 1
                }
            case .continuation:
                guard byte >= continuationBounds.low, byte <= continuationBounds.high else {
                    return .invalid(.encoding, at: i)
                }
                continuationBounds = (0x80, 0xBF)
                continuationsLeft -= 1
                if continuationsLeft == 0 { state = .string }
                i += 1
            case .escape:
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                    UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                    state = .string
                case UInt8(ascii: "u"):
                    hexDigitsLeft = 4
                    state = .hex
                default: return .invalid(.syntax, at: i)
                }
                i += 1
            case .hex:
                guard byte.isHexDigit else { return .invalid(.syntax, at: i) }
                hexDigitsLeft -= 1
                if hexDigitsLeft == 0 { state = .string }
                i += 1
            case .literal:
                guard byte == literalRest.last else { return .invalid(.syntax, at: i) }
                literalRest.removeLast()
                i += 1
                if literalRest.isEmpty, endValue(at: i) { return .complete(end: i) }
            case .minus:
                guard byte.isDigit else { return .invalid(.syntax, at: i) }
                state = byte == UInt8(ascii: "0") ? .zero : .integer
                i += 1
            case .point:
                guard byte.isDigit else { return .invalid(.syntax, at: i) }
                state = .fraction
                i += 1
            case .exponent:
                if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
                    state = .exponentSign
                } else if byte.isDigit {
                    state = .exponentDigits
                } else {
                    return .invalid(.syntax, at: i)
                }
                i += 1
            case .exponentSign:
                guard byte.isDigit else { return .invalid(.syntax, at: i) }
                state = .exponentDigits
                i += 1
            case .zero, .integer, .fraction, .exponentDigits:
                if byte.isDigit && state != .zero {
                    i += 1
                } else if byte == UInt8(ascii: "."), state == .zero || state == .integer {
                    state = .point
                    i += 1
                } else if byte | 0x20 == UInt8(ascii: "e"), state != .exponentDigits {
                    state = .exponent
                    i += 1
                } else if endValue(at: i) {
                    // The byte that ends a number is not part of it. The caller decides whether that byte is valid.
                    return .complete(end: i)
                }
            default:
                if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
                    i += 1
                } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                    hasLineBreak = true
                    if byte == UInt8(ascii: "\n") { lineFeeds += 1 }
                    i += 1
                } else if let verdict = structure(byte, at: i) {
                    return verdict
                } else {
                    i += 1
                }
            }
        }
        position = i
        return .needsMore
    }

    /// Returns the verdict at the end of the input. Only a number can still become complete.
    mutating func finish(count: Int) -> Verdict {
        switch state {
        case .zero, .integer, .fraction, .exponentDigits:
            return endValue(at: count) ? .complete(end: count) : .needsMore
        default: return .needsMore
        }
    }

    /// Handles a byte outside tokens that is not white space. Returns a verdict if the value ends or is invalid.
    private mutating func structure(_ byte: UInt8, at i: Int) -> Verdict? {
        switch (state, byte) {
        case (.keyOrEnd, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
            inKey = true
            if depth == 1 { keyStart = i }
            state = .string
            return nil
        case (.colon, UInt8(ascii: ":")):
            state = .value
            return nil
        case (.commaOrEnd, UInt8(ascii: ",")):
            state = isInObject ? .key : .value
            return nil
        case (.keyOrEnd, UInt8(ascii: "}")), (.valueOrEnd, UInt8(ascii: "]")),
            (.commaOrEnd, isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")):
            depth -= 1
            return endValue(at: i + 1) ? .complete(end: i + 1) : nil
        case (.value, _), (.valueOrEnd, _): return beginValue(byte, at: i)
        default: return .invalid(.syntax, at: i)
        }
    }

    private mutating func beginValue(_ byte: UInt8, at i: Int) -> Verdict? {
        if depth == 1 { valueStart = i }
        switch byte {
        case UInt8(ascii: "\""):
            inKey = false
            state = .string
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < Self.maxDepth else { return .invalid(.depth, at: i) }
            let isObject = byte == UInt8(ascii: "{")
            let bit = UInt64(1) << UInt64(depth & 63)
            if isObject { kinds[depth >> 6] |= bit } else { kinds[depth >> 6] &= ~bit }
            depth += 1
            state = isObject ? .keyOrEnd : .valueOrEnd
        case UInt8(ascii: "-"): state = .minus
        case UInt8(ascii: "0"): state = .zero
        case UInt8(ascii: "1")...UInt8(ascii: "9"): state = .integer
        case UInt8(ascii: "t"): begin(literal: "eur")
        case UInt8(ascii: "f"): begin(literal: "esla")
        case UInt8(ascii: "n"): begin(literal: "llu")
        default: return .invalid(.syntax, at: i)
        }
        return nil
    }

    /// - Parameter literal: the literal without its first letter, reversed.
    private mutating func begin(literal: StaticString) {
        literalRest = literal.withUTF8Buffer { Array($0) }
        state = .literal
    }

    /// Records the end of a value. Returns whether the outermost value has ended.
    private mutating func endValue(at end: Int) -> Bool {
        if depth == 0 { return true }
        if depth == 1, notesFields, kinds[0] & 1 == 1 {
            if fields.count < Self.maxFields {
                fields.append(JSONField(key: keyStart..<keyEnd, value: valueStart..<end))
            } else {
                hasTooManyFields = true
            }
        }
        state = .commaOrEnd
        return false
    }

    private var isInObject: Bool { depth > 0 && kinds[(depth - 1) >> 6] & (UInt64(1) << UInt64((depth - 1) & 63)) != 0 }

    /// Prepares for the continuation bytes that may follow `lead`, or returns false if `lead` begins no sequence
    /// (Unicode 15, table 3-7: no overlong forms, no surrogates).
    private mutating func beginSequence(_ lead: UInt8) -> Bool {
        switch lead {
        case 0xC2...0xDF: (continuationsLeft, continuationBounds) = (1, (0x80, 0xBF))
        case 0xE0: (continuationsLeft, continuationBounds) = (2, (0xA0, 0xBF))
        case 0xED: (continuationsLeft, continuationBounds) = (2, (0x80, 0x9F))
        case 0xE1...0xEF: (continuationsLeft, continuationBounds) = (2, (0x80, 0xBF))
        case 0xF0: (continuationsLeft, continuationBounds) = (3, (0x90, 0xBF))
        case 0xF1...0xF3: (continuationsLeft, continuationBounds) = (3, (0x80, 0xBF))
        case 0xF4: (continuationsLeft, continuationBounds) = (3, (0x80, 0x8F))
        default: return false
        }
        state = .continuation
        return true
    }
}

public enum JSONFault: Sendable {
    case syntax, controlCharacter, encoding, depth

    var message: String {
        switch self {
        case .syntax: "invalid JSON"
        case .controlCharacter: "a JSON string contains a control character or line break; write it as \\n or \\u00XX"
        case .encoding: "a JSON string is not valid UTF-8"
        case .depth: "the JSON is nested more than \(JSONScanner.maxDepth) levels deep"
        }
    }
}

/// The byte ranges of a field's name, quotes included, and of its value.
struct JSONField: Sendable {
    var key: Range<Int>
    var value: Range<Int>
}
