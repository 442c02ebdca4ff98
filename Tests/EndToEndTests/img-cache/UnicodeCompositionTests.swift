import Records
import Support
import TestSupport
import Testing

/// Strings that are equal in Swift although their bytes differ: `é`, and `e` with a combining accent.
@Suite struct UnicodeCompositionTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    private let server: PictureServer
    private let home: ToolHome
    private let urls: [String]

    init() throws {
        server = try PictureServer(size: 1000)
        home = try ToolHome(environment: server.environment)
        urls = [Self.composed, Self.decomposed].map(server.url)
    }

    @Test func equivalentAddressesHaveTheirOwnPictures() throws {
        for _ in 0..<2 {
            let records = try home.run("img-cache", ["put"] + urls).expect(0).records
            #expect(Set(try records.map { try #require($0.string("cache.sha256")) }).count == 2)
        }
        #expect(server.asked.count == 2)
    }

    @Test func equivalentKeysHaveTheirOwnPictures() throws {
        let names = [Self.composed, Self.decomposed]
        for (name, url) in zip(names, urls) { try home.run("img-cache", ["put", "--key", name, url]).expect(0) }

        let found = try home.run("img-cache", ["get"] + names.map { "key:\($0)" }).expect(0).records
        #expect(Set(try found.map { try #require($0.string("path")) }).count == 2)
    }

    @Test func keyThatBeginsWithAnAccentIsFound() throws {
        try home.run("img-cache", ["put", "--key", "\u{301}x", urls[0]]).expect(0)
        let key = try #require(try home.run("img-cache", ["ls"]).expect(0).record.string("cache.key"))
        try home.run("img-cache", ["has", key]).expect(0)
    }

    @Test func copiesWithEquivalentNamesAreDifferentFiles() throws {
        try home.run("img-cache", ["put", "--output-dir", "out"] + urls).expect(0)
        let names = try home.shell("ls out | wc -l").expect(0).lines
        #expect(names == ["2"])
    }
}
