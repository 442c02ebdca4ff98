import Libc
import TestSupport
import Testing

@testable import Support

/// Names never refer to files outside a folder, even through links. Most tests run twice: with openat2(2), and with
/// its fallback.
@Suite struct FolderTests {
    private let world: TemporaryFolder

    init() throws {
        world = try TemporaryFolder()
        try world.makeFolder("root/inner")
        try world.write("victim", "untouched")
    }

    private func folder(_ usesOpenat2: Bool) throws -> Folder {
        try Folder(resolved: world.path("root"), usesOpenat2: usesOpenat2)
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try File.open(path, O_RDONLY).contents(atMost: 1 << 16), as: UTF8.self)
    }

    @Test(arguments: [true, false]) func filesAreCreatedReadMovedAndRemoved(_ usesOpenat2: Bool) throws {
        let folder = try folder(usesOpenat2)
        try folder.makeFolder("a/b")
        try folder.open("a/b/file", O_WRONLY | O_CREAT).write(Array("text".utf8))
        #expect(try text(world.path("root/a/b/file")) == "text")
        #expect(try folder.status(of: "a/b/file")?.bytes == 4)
        #expect(try folder.status(of: "a/b/file")?.mode == 0o600)
        #expect(try folder.status(of: "a/b")?.mode == 0o700)

        try folder.rename("a/b/file", to: "inner/other")
        #expect(try folder.names(in: "a/b") == [])
        #expect(try folder.names(in: "inner") == ["other"])
        #expect(try folder.names().sorted() == ["a", "inner"])
        #expect(!folder.removeFolder("inner"))
        #expect(folder.remove("inner/other"))
        #expect(folder.removeFolder("inner"))
    }

    @Test(arguments: [true, false]) func linkInPlaceOfAFileIsNeverFollowed(_ usesOpenat2: Bool) throws {
        let folder = try folder(usesOpenat2)
        symlink(world.path("victim"), world.path("root/inner/file"))

        for flags in [O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_CREAT | O_TRUNC] {
            #expect(throws: UnsafePath.link(world.path("root/inner/file"))) {
                try folder.open("inner/file", flags)
            }
        }
        #expect(try folder.status(of: "inner/file")?.kind == .link)
        #expect(folder.remove("inner/file"))
        #expect(try text(world.path("victim")) == "untouched")
    }

    @Test(arguments: [true, false]) func linkInPlaceOfAFolderIsNeverFollowed(_ usesOpenat2: Bool) throws {
        let folder = try folder(usesOpenat2)
        try world.write("elsewhere/file", "untouched")
        symlink(world.path("elsewhere"), world.path("root/link"))

        #expect(throws: UnsafePath.link(world.path("root/link/file"))) {
            try folder.open("link/file", O_RDWR | O_CREAT)
        }
        #expect(throws: UnsafePath.self) { try folder.makeFolder("link/new") }
        #expect(throws: UnsafePath.self) { try folder.folder("link") }
        #expect(try folder.status(of: "link/file") == nil)
        #expect(!folder.remove("link/file"))
        #expect(throws: SystemFailure.self) { try folder.rename("link/file", to: "mine") }
        try world.write("root/inner/file", "mine")
        #expect(throws: SystemFailure.self) { try folder.rename("inner/file", to: "link/file") }
        #expect(try folder.names(in: "link") == [])
        #expect(try text(world.path("elsewhere/file")) == "untouched")
        #expect(access(world.path("elsewhere/new"), F_OK) != 0)
    }

    @Test(arguments: [true, false]) func namesNeverLeaveTheFolder(_ usesOpenat2: Bool) throws {
        let folder = try folder(usesOpenat2)
        for name in ["../victim", "inner/../../victim", world.path("victim"), "..", "inner/.."] {
            #expect(throws: (any Error).self) { try folder.open(name, O_RDONLY) }
            #expect(!folder.remove(name))
        }
        #expect(throws: SystemFailure.self) { try folder.makeFolder("../new") }
        #expect(try text(world.path("victim")) == "untouched")
        #expect(access(world.path("new"), F_OK) != 0)
    }

    @Test func fifoInPlaceOfAFileDoesNotBlock() throws {
        mkfifo(world.path("root/pipe"), 0o600)

        #expect(throws: UnsafePath.notAPlainFile(world.path("root/pipe"))) {
            try folder(true).open("pipe", O_RDONLY)
        }
    }

    @Test func hardLinkedFileIsNotOpenedForWriting() throws {
        link(world.path("victim"), world.path("root/file"))

        #expect(throws: UnsafePath.notAPlainFile(world.path("root/file"))) {
            try folder(true).open("file", O_RDWR | O_TRUNC)
        }
        #expect(try folder(true).open("file", O_RDONLY).count == 9)
    }

    @Test func movedFolderStaysOpen() throws {
        let folder = try folder(true)
        rename(world.path("root"), world.path("moved"))
        try world.makeFolder("root")

        try folder.open("file", O_WRONLY | O_CREAT).write(Array("x".utf8))
        #expect(access(world.path("moved/file"), F_OK) == 0)
        #expect(access(world.path("root/file"), F_OK) != 0)
    }

    @Test func linksInAPathAreResolvedWhenTheFolderIsOpened() throws {
        symlink(world.path("root"), world.path("link"))

        #expect(try Folder(world.path("link")).path == world.path("root"))
        #expect(Folder.resolve(world.path("link") + "/missing/below") == world.path("root/missing/below"))
        #expect(Folder.resolve("/") == "/")
        symlink("missing", world.path("dangling"))
        #expect(Folder.resolve(world.path("dangling") + "/below") == world.path("missing/below"))
        symlink("circle", world.path("circle"))
        #expect(Folder.resolve(world.path("circle")) == world.path("circle"))
        #expect(Folder.resolve(world.path("root") + "///") == world.path("root"))
    }

    // MARK: Ownership

    private func status(owner: uid_t = 7, mode: mode_t = 0o700) -> FileStatus {
        var status = stat()
        status.st_mode = S_IFDIR | mode
        status.st_uid = owner
        return FileStatus(status)
    }

    @Test func folderMustBelongToTheUserAndNotBeWritableByAll() {
        #expect(UnsafePath.fault(ofFolder: "/c", status(), user: 7) == nil)
        #expect(UnsafePath.fault(ofFolder: "/c", status(mode: 0o775), user: 7) == nil)
        #expect(UnsafePath.fault(ofFolder: "/c", status(mode: 0o777), user: 7) == .writableByAll("/c"))
        #expect(UnsafePath.fault(ofFolder: "/c", status(mode: 0o1777), user: 7) == .writableByAll("/c"))
        #expect(
            UnsafePath.fault(ofFolder: "/c", status(owner: 0), user: 7) == .owner("/c", owner: 0, user: 7))
    }

    @Test func messageAboutAnUnsafeFolderSuggestsTheCommandToRun() {
        #expect(UnsafePath.writableByAll("/a b/it's").message.contains("run: chmod o-w '/a b/it'\\''s';"))
    }
}

/// A lookup has three results: present, absent, and an error that proves neither.
@Suite struct FolderLookTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [ENOENT, ENOTDIR, ELOOP]) func missingFileIsNotAnError(errno: Int32) throws {
        let failing = try Folder(resolved: folder.path) { _ in errno }
        #expect(try failing.status(of: "x") == nil)
        #expect(try failing.names(in: "x") == [])
    }

    @Test(arguments: [EACCES, EIO, EINTR, EMFILE, ENFILE, ENOMEM, EPERM, ESTALE, ETIMEDOUT])
    func errorThatDoesNotProveAbsenceIsThrown(errno: Int32) throws {
        let failing = try Folder(resolved: folder.path) { _ in errno }
        let file = try File.open(folder.path("x"), O_RDWR | O_CREAT)
        #expect(throws: SystemFailure.self) { try failing.status(of: "x") }
        #expect(throws: SystemFailure.self) { try failing.names(in: "x") }
        #expect(throws: SystemFailure.self) { try failing.names() }
        #expect(throws: SystemFailure.self) { try failing.has(file, as: "x") }
        #expect(throws: SystemFailure.self) { try failing.open("x", O_RDONLY) }
    }

    @Test func pathBelowAFileOrALinkIsMissing() throws {
        try folder.write("file", "")
        symlink(folder.path, folder.path("link"))
        let folder = try Folder(folder.path)
        #expect(try folder.status(of: "file/x") == nil)
        #expect(try folder.status(of: "link/file") == nil)
        #expect(try folder.status(of: "link")?.kind == .link)
        #expect(try folder.names(in: "missing") == [])
    }
}

@Suite struct OpenFilesTests {
    @Test(
        arguments: [
            (64, 256, 29), (64, 1024, 64), (6, 1024, 6), (6, 40, 2), (6, 24, 1), (6, 8, 1), (1, 0, 1), (8, nil, 8),
        ] as [(Int, Int?, Int)])
    func jobsAreReducedToTheLimitOfOpenFiles(wanted: Int, limit: Int?, jobs: Int) {
        #expect(OpenFiles.jobs(wanted, limit: limit) == jobs)
    }
}
