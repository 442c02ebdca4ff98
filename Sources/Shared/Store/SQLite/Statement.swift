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
    init(_ value: Int) { self = .integer(Int64(value)) }
    init(_ value: Int64) { self = .integer(value) }
    init(_ value: Timestamp) { self = .integer(value.milliseconds) }
    init(_ value: Bool) { self = .integer(value ? 1 : 0) }
    init(_ value: String) { self = .text(value) }
    init(_ value: [UInt8]) { self = .bytes(value) }
    init(_ value: String?) { self = value.map(Value.text) ?? .null }
    init(_ value: Int?) { self = value.map(Value.init) ?? .null }
    init(_ value: Timestamp?) { self = value.map(Value.init) ?? .null }
}

/// A compiled statement for repeated use.
final class Statement {
    private let handle: OpaquePointer
    private let fail: (Int32) -> CacheFailure

    init(_ handle: OpaquePointer, fail: @escaping (Int32) -> CacheFailure) {
        self.handle = handle
        self.fail = fail
    }

    deinit { sqlite3_finalize(handle) }

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
            if status != SQLITE_OK { throw fail(status) }
        }
    }

    /// Advances to the next row. Returns false after the last row.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw fail(status)
        }
    }

    /// Resets the statement and releases its locks on the database.
    func reset() { sqlite3_reset(handle) }

    fileprivate func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    fileprivate func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

    fileprivate func text(_ column: Int) -> String {
        guard let base = sqlite3_column_text(handle, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
    }

    fileprivate func bytes(_ column: Int) -> [UInt8] {
        guard let base = sqlite3_column_blob(handle, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }
}

/// The current row of a statement, valid until the next step.
struct Row {
    fileprivate let statement: Statement

    init(statement: Statement) { self.statement = statement }

    func isNull(_ column: Int) -> Bool { statement.isNull(column) }
    func int64(_ column: Int) -> Int64 { statement.integer(column) }
    func int(_ column: Int) -> Int { Int(statement.integer(column)) }
    func bool(_ column: Int) -> Bool { statement.integer(column) != 0 }
    func timestamp(_ column: Int) -> Timestamp { Timestamp(milliseconds: statement.integer(column)) }
    func bytes(_ column: Int) -> [UInt8] { statement.bytes(column) }
    func string(_ column: Int) -> String { statement.text(column) }
}
