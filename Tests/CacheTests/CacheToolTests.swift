import HTTP
import Records
import Support
import Testing

@testable import Fetch
@testable import Store
@testable import Tools

@Suite struct CacheToolTests {
    @Test func aFailedRecordLosesWhatSaysWhereItsPictureLies() throws {
        let line = #"{"path":"/etc/passwd","n":1,"cache":{"key":"k"},"gif":{"placeholder":true},"\u0070ath":"/x"}"#
        var record = try Record(parsing: line.utf8)
        record.removePlace()
        #expect(record.names == ["n"])
    }

    @Test func aFileThatCannotBePutIsNamedInItsRecord() throws {
        let world = try Surroundings()
        let caches = Caches(settings: CacheSettings(root: world.root), interruption: Interruption())
        let tool = PutTool(
            caches: caches, client: world.client(FakeServer(picture())), rules: CacheItem.Rules()
        ) { HTTPRequest(url: $0) }
        var file = Record()
        tool.retract(&file, argument: "/nowhere/moon.png")
        #expect(file.string("path") == "/nowhere/moon.png")
        var address = Record()
        tool.retract(&address, argument: "https://example.org/moon.png")
        #expect(address.isEmpty)
        var record = try Record(parsing: #"{"path":"/etc/passwd"}"#.utf8)
        tool.retract(&record, argument: nil)
        #expect(record.isEmpty)
    }
}
