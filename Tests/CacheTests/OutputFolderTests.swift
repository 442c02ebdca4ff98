import Records
import Support
import TestSupport
import Testing

@testable import CacheTools

/// Files whose names the user chooses.
@Suite struct OutputFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func output(_ template: String = "{stem}.{ext}") throws -> OutputFolder {
        try OutputFolder(folder.path, template: NameTemplate(template))
    }

    @Test(arguments: [
        ("https://example.org/a/M31%20core.jpg?w=3#x", nil, "M31 core"),
        ("https://example.org/image.php?id=/7.jpg", nil, "image"),
        ("https://example.org/", nil, "example.org"),
        ("https://example.org/.jpg", nil, ".jpg"),
        ("https://example.org/a%2Fb.png", nil, "a_b"),
        ("https://example.org/e\u{301}.jpg", nil, "e\u{301}"),
        ("https://api.example/image?exerciseId=0001", "exercisedb:0001@180", "0001"),
        (nil, "file:///home/me/a%20b.c.png", "a b.c"),
        (nil, "key:my-photo.old", "my-photo.old"),
        ("https://example.org/b.jpg", "key:my-photo", "b"),
        (nil, nil, nil), (nil, "truncated", nil),
    ])
    func cachedPictureIsNamedAfterItsAddress(_ url: String?, _ key: String?, _ stem: String?) {
        #expect(PictureStem.ofCached(url: url, key: key) == stem)
    }

    @Test func stemOfAFileHasNoFolderAndNoExtension() {
        #expect(PictureStem.ofFile("/a.b/m31.old.jpg") == "m31.old")
        #expect(PictureStem.ofFile(".hidden") == ".hidden")
        let name = [0x61, 0xFE] + Array(".b".utf8)
        #expect(
            PictureStem.ofFile(String(pathBytes: [0x2F, 0xFF, 0x2F] + name + Array(".jpg".utf8))).pathBytes == name)
        // A name may begin with a combining accent, which must not merge with the slash or the dot before it.
        #expect(Array(PictureStem.ofFile("/a/\u{301}b.\u{301}").utf8) == Array("\u{301}b".utf8))
    }

    @Test func outputNameBelongsToOneOwner() throws {
        let output = try output()
        try output.claim("a.jpg", for: "one")
        try output.claim("a.jpg", for: "one")
        try output.claim("b.jpg")
        try output.claim("b.jpg", own: ["b.jpg"])
        let failure = OutputFailure.taken(path: folder.path + "/a.jpg")
        #expect(throws: failure) { try output.claim("a.jpg", for: "two") }
        #expect(throws: OutputFailure.taken(path: folder.path + "/b.jpg")) { try output.claim("b.jpg") }
        #expect(failure.exitCode == .cannotCreate)
    }

    @Test func outputNamesAreClaimedInRecordOrder() throws {
        let output = try output()
        let order = Monitor<[Int]>([])
        for _ in 0..<50 {
            let turns = (0..<6).map { _ in output.turn() }
            order.update { $0 = [] }
            // A failing record ends its turn without claiming a name.
            turns[2].end()
            let threads = try [5, 4, 3, 1, 0].map { number in
                try Thread.start {
                    turns[number].wait()
                    order.update { $0.append(number) }
                    turns[number].end()
                    turns[number].end()
                }
            }
            for thread in threads { thread.join() }
            #expect(order.withLock { $0 } == [0, 1, 3, 4, 5])
        }
    }

    @Test func droppedRecordDoesNotBlockLaterRecords() throws {
        let output = try output()
        do { _ = output.turn() }
        output.turn().wait()
    }

    @Test func fileCreatedDuringTheWriteIsNotReplaced() throws {
        let output = try output()
        let file = try output.begin("a/b/c.txt", replaces: false)
        try file.write(Array("new".utf8).span.bytes)
        try folder.write("a/b/c.txt", "old")
        #expect(throws: SystemFailure.self) { try output.finish(file) }
        #expect(throws: SystemFailure.self) { _ = try output.begin("a/b/c.txt", replaces: false) }
        #expect(try TestFile.text(folder.path + "/a/b/c.txt") == "old")
        #expect(TemporaryFolder.names(in: folder.path + "/a/b") == ["c.txt"])

        let other = try output.begin("a/b/c.txt", replaces: true)
        try other.write(Array("new".utf8).span.bytes)
        try output.finish(other)
        #expect(try TestFile.text(folder.path + "/a/b/c.txt") == "new")
    }

    @Test func unfinishedOutputIsRemoved() throws {
        for replaces in [false, true] {
            let file = try output().begin("x", replaces: replaces)
            try file.write(Array("new".utf8).span.bytes)
        }
        #expect(TemporaryFolder.names(in: folder.path) == [])
    }
}
