import Records
import Testing

@testable import Cache

@Suite struct CacheToolTests {
    @Test func aFailedRecordLosesWhatSaysWhereItsPictureLies() throws {
        let line = #"{"path":"/etc/passwd","n":1,"cache":{"key":"k"},"gif":{"placeholder":true},"\u0070ath":"/x"}"#
        var record = try Record(parsing: line.utf8)
        record.removePlace()
        #expect(record.names == ["n"])
    }
}
