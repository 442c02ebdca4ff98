import CSQLite
import Support

/// A value to bind to a parameter of a statement.
enum Value: ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(integerLiteral value: Int64) { self = .integer(value) }
    init(nilLiteral: ()) { self = .null }
    init(_ content: some ColumnContent) { self = content.value }
    init(_ value: [UInt8]) { self = .bytes(value) }
}

/// A compiled statement for repeated use.
final class Statement {
    private let handle: OpaquePointer
    /// The root of the cache, for failures.
    private let root: String

    init(_ handle: OpaquePointer, root: String) {
        self.handle = handle
        self.root = root
    }

    deinit { sqlite3_finalize(handle) }

    var row: Row { Row(handle: handle) }

    private func failure(_ status: Int32) -> CacheFailure {
        CacheFailure(sqlite: status, of: sqlite3_db_handle(handle), root: root)
    }

    func bind(_ values: [Value]) throws {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let status =
                switch value {
                case .null: sqlite3_bind_null(handle, place)
                case .integer(let number): sqlite3_bind_int64(handle, place, number)
                case .text(var text):
                    text.withUTF8 { bytes in
                        bytes.withMemoryRebound(to: CChar.self) {
                            // SQLite binds a null pointer as NULL, even if the length is 0.
                            $0.isEmpty
                                ? csqlite_bind_text(handle, place, "", 0)
                                : csqlite_bind_text(handle, place, $0.baseAddress, Int32($0.count))
                        }
                    }
                case .bytes(let bytes):
                    bytes.withUnsafeBytes {
                        csqlite_bind_blob(handle, place, $0.baseAddress, Int32(clamping: $0.count))
                    }
                }
            if status != SQLITE_OK { throw failure(status) }
        }
    }

    /// Advances to the next row. Returns false after the last row.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw failure(status)
        }
    }

    /// Resets the statement and releases its locks on the database.
    func reset() { sqlite3_reset(handle) }
}

/// The current row of a statement, valid until the next step.
struct Row {
    fileprivate let handle: OpaquePointer

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }
    func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
    func int(_ column: Int) -> Int { Int(int64(column)) }
    func bool(_ column: Int) -> Bool { int64(column) != 0 }
    func timestamp(_ column: Int) -> Timestamp { Timestamp(milliseconds: int64(column)) }

    func bytes(_ column: Int) -> [UInt8] {
        guard let base = sqlite3_column_blob(handle, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    func string(_ column: Int) -> String {
        guard let base = sqlite3_column_text(handle, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
    }
}

/// A type that a column can store.
protocol ColumnContent: Sendable {
    init(_ row: Row, _ column: Int)
    var value: Value { get }
}

extension Int: ColumnContent {
    init(_ row: Row, _ column: Int) { self = row.int(column) }
    var value: Value { .integer(Int64(self)) }
}

extension Int64: ColumnContent {
    init(_ row: Row, _ column: Int) { self = row.int64(column) }
    var value: Value { .integer(self) }
}

extension Bool: ColumnContent {
    init(_ row: Row, _ column: Int) { self = row.bool(column) }
    var value: Value { .integer(self ? 1 : 0) }
}

extension String: ColumnContent {
    init(_ row: Row, _ column: Int) { self = row.string(column) }
    var value: Value { .text(self) }
}

extension Timestamp: ColumnContent {
    init(_ row: Row, _ column: Int) { self = row.timestamp(column) }
    var value: Value { .integer(milliseconds) }
}

extension Optional: ColumnContent where Wrapped: ColumnContent {
    init(_ row: Row, _ column: Int) { self = row.isNull(column) ? nil : Wrapped(row, column) }
    var value: Value { self?.value ?? .null }
}
