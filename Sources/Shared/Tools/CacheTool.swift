import Fetch
import Records

/// A tool that says where in the cache a record's picture lies.
///
/// A record that it fails loses `path`, `cache` and `gif`. They may be left from an earlier run, or made up by whoever
/// wrote the record, and the next tool would open that path.
public protocol CacheTool: RecordTool {}

extension CacheTool {
    public func retract(_ record: inout Record, argument: String?) { record.removePlace() }
}

extension Record {
    /// Takes away the fields that say where a picture lies in the cache.
    public mutating func removePlace() {
        removePath("path")
        for field in ["cache", "gif"] { remove(field) }
    }
}
