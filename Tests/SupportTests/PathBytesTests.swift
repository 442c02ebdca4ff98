import Libc
import TestSupport
import Testing

@testable import Support

/// Conversions between strings and paths of any bytes.
@Suite struct PathBytesTests {
    /// Returns random bytes: valid UTF-8, invalid UTF-8, and the private-use scalars that represent invalid bytes in
    /// strings.
    private static func path(_ random: inout SeededRandom) -> [UInt8] {
        (0..<random.below(12)).flatMap { _ -> [UInt8] in
            switch random.below(7) {
            case 0: return random.bytes(1 + random.below(4)).map { max($0, 1) }
            case 1: return Array("é漢🚀".utf8.dropLast(random.below(9)))
            case 2: return [0xF4, 0x8F, 0xBA + UInt8(random.below(2)), 0x80 + UInt8(random.below(64))]
            case 3: return [0xF4, 0x8F, 0xB9, 0xBF]
            case 4: return Array([0xF4, 0x8F, 0xBA, 0x80].prefix(1 + random.below(3)))
            case 5: return [0xED, 0xA0 + UInt8(random.below(32)), 0x80]
            default: return Array("/a.".utf8)
            }
        }
    }

    @Test func pathsRoundTripThroughDistinctTexts() {
        var random = SeededRandom(name: "paths")
        var seen: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<20_000 {
            let bytes = Self.path(&random)
            let text = String(pathBytes: bytes)
            #expect(text.pathBytes == bytes)
            #expect(text.withPathPointer { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } == bytes)
            let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
            #expect((text.utf8Path.map { Array($0.utf8) } == bytes) == isUTF8)
            let earlier = seen.updateValue(bytes, forKey: Array(text.utf8))
            #expect(earlier == nil || earlier == bytes)
        }
    }

    @Test(arguments: ["", "a.jpg", "/é/e\u{301}/漢字 🚀", "\u{10FE7F}", "\u{10FF00}", "\u{F8FF}"])
    func textOfAUTF8PathIsUnchanged(_ path: String) {
        #expect(Array(String(pathBytes: path.utf8).utf8) == Array(path.utf8))
        #expect(!path.hasForeignBytes)
        #expect(path.utf8Path == path)
        #expect(path.showingForeignBytes == path)
    }

    @Test func privateUseScalarInANameIsDistinctFromAnInvalidByte() {
        for value in [0x10FE80, 0x10FEFF, 0x10FEC3] as [UInt32] {
            let name = "\(Unicode.Scalar(value)!).jpg"
            let text = String(pathBytes: name.utf8)
            #expect(text != name)
            #expect(text.hasForeignBytes)
            #expect(text.pathBytes == Array(name.utf8))
            // The name is valid UTF-8, so a record can contain it.
            #expect(text.utf8Path == name)
        }
    }

    @Test func partsOfAPathKeepTheirBytes() {
        let text = String(pathBytes: [0x2F, 0xFF, 0x2F, 0x61, 0xFE, 0x2E, 0x6A])
        #expect(text.split(separator: "/").map { String($0).pathBytes } == [[0xFF], [0x61, 0xFE, 0x2E, 0x6A]])
        #expect(("x" + text + "y").pathBytes == [0x78, 0x2F, 0xFF, 0x2F, 0x61, 0xFE, 0x2E, 0x6A, 0x79])
    }

    @Test func messagesShowBytesThatAreNotUTF8InHex() {
        let text = String(pathBytes: [0x61, 0xFF, 0xE9, 0x1B])
        #expect(text.showingForeignBytes == "a\\xff\\xe9\u{1B}")
        #expect(TerminalText.escaped(text) == "a\\xff\\xe9\\u{1b}")
        #expect(TerminalText.jsonString(text) == "\"a\\\\xff\\\\xe9\\u001b\"")
        let advice = UnsafePath.writableByAll("/\(text)'").message.showingForeignBytes
        #expect(advice.contains("o-w $'/a\\xff\\xe9\u{1B}\\''"))
    }
}

#if os(Linux)
/// Files whose names are not UTF-8, which macOS does not allow.
@Suite struct ForeignNameTests {
    private let folder: TemporaryFolder
    private let name = String(pathBytes: [0x61, 0xFF, 0x2E, 0x67, 0x69, 0x66])

    init() throws { folder = try TemporaryFolder() }

    /// Returns the bytes of the names in the folder.
    private func names() -> [[UInt8]] { folder.contents().map(\.pathBytes) }

    @Test func fileIsCreatedAndOpened() throws {
        let output = try OutputFile(path: folder.path(name))
        try output.write([1, 2])
        try output.commit(synchronized: true)

        #expect(names() == [[0x61, 0xFF, 0x2E, 0x67, 0x69, 0x66]])
        let file = try File.openInput(folder.path(name))
        #expect(try file.contents(atMost: 9) == [1, 2])
        #expect(try file.isStillNamed())
        #expect(try OutputTarget(folder.path(name)).path == folder.path(name))
    }

    @Test func linksWhoseNamesAreNotUTF8AreFollowed() throws {
        try folder.write("\(name)d/\(name)", "x")
        let (target, link) = (folder.path("\(name)d"), folder.path("l\(name)"))
        #expect(target.withPathPointer { target in link.withPathPointer { symlink(target, $0) } } == 0)

        #expect(Folder.resolve("\(link)/\(name)") == "\(target)/\(name)")
        #expect(Folder.resolve("\(link)/none/\(name)") == "\(target)/none/\(name)")
        #expect(resolvedPath("\(link)/\(name)") == "\(target)/\(name)")
        #expect(try OutputTarget("\(link)/\(name)").path == "\(link)/\(name)")
        try folder.write("other", "")
        let out = folder.path("out")
        #expect("l\(name)/\(name)".withPathPointer { name in out.withPathPointer { symlink(name, $0) } } == 0)
        #expect(try OutputTarget(out).path == folder.path("l\(name)/\(name)"))
    }

    @Test(arguments: [true, false])
    func folderCreatesRenamesAndRemovesFiles(usesOpenat2: Bool) throws {
        let open = try Folder(resolved: folder.path, usesOpenat2: usesOpenat2)
        try open.makeFolder("\(name)/\(name)")
        _ = try open.open("\(name)/\(name)/\(name)", O_WRONLY | O_CREAT)
        #expect(try open.names() == [name])
        #expect(try open.names(in: name) == [name])
        #expect(try open.status(of: "\(name)/\(name)/\(name)")?.kind == .file)
        try open.rename("\(name)/\(name)/\(name)", to: "b\(name)")
        #expect(try Set(open.names()) == [name, "b\(name)"])
        #expect(open.remove("b\(name)"))
        #expect(open.removeFolder("\(name)/\(name)"))
        #expect(try Folder(folder.path(name)).path == folder.path(name))
    }

    @Test func foldersAreCreated() throws {
        try makeFolder(folder.path("\(name)/\(name)"), synchronized: true)
        try makeFolder(folder.path("\(name)/\(name)"))
        #expect(names() == [name.pathBytes, "\(name)/\(name)".pathBytes])
    }

    @Test func missingFileIsReportedWithItsBytes() {
        let failure = #expect(throws: SystemFailure.self) { try File.openInput(folder.path(name)) }
        #expect(failure?.exitCode == .noInput)
        #expect(failure?.message.showingForeignBytes.contains("/a\\xff.gif: No such file") == true)
    }
}
#endif
