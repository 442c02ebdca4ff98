import Libc
import TestSupport
import Testing

@testable import Support

/// Output files, which appear only when they are complete.
@Suite struct OutputFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, to path: String, synchronized: Bool = false) throws {
        let output = try OutputFile(path: path)
        try Array(text.utf8).withUnsafeBytes { try output.write($0) }
        try output.commit(synchronized: synchronized)
    }

    private func errno(_ path: String) -> Int32? {
        do {
            try write("new", to: path)
            return nil
        } catch {
            #expect((error as? SystemFailure)?.exitCode == .cannotCreate)
            return (error as? SystemFailure)?.errno
        }
    }

    @Test func outputAppearsOnlyWhenComplete() throws {
        do {
            let output = try OutputFile(path: folder.path("out"))
            try Array("half".utf8).withUnsafeBytes { try output.write($0) }
            #expect(!TestFile.exists(folder.path("out")))
        }
        #expect(folder.contents() == [])

        try write("whole", to: folder.path("out"))
        #expect(folder.contents() == ["out"])
        #expect(try TestFile.text(folder.path("out")) == "whole")
    }

    @Test func missingFolderOfAnOutputIsReported() {
        #expect(throws: SystemFailure(errno: ENOENT, "create /nowhere/x", purpose: .makeOutput)) {
            try OutputFile(path: "/nowhere/x")
        }
        #expect(throws: SystemFailure.self) { try makeFolder("/dev/null/x") }
        #expect(SystemFailure(errno: ENOENT, "x", purpose: .makeOutput).exitCode == .cannotCreate)
        #expect(SystemFailure(errno: ENOSPC, "x", purpose: .makeOutput).exitCode == .io)
        #expect(throws: SystemFailure(errno: EISDIR, "read /tmp", purpose: .openInput)) { try File.openInput("/tmp") }
    }

    @Test func missingParentFoldersAreCreated() throws {
        try makeFolder(folder.path("a/b/c"), synchronized: true)
        #expect(folder.contents() == ["a", "a/b", "a/b/c"])
    }

    // MARK: Links

    @Test func linkStaysAndItsTargetIsReplaced() throws {
        let target = try folder.write("far/target", "old")
        symlink("far/target", folder.path("near"))
        symlink(folder.path("near"), folder.path("link"))

        try write("new", to: folder.path("link"))

        #expect(try TestFile.text(target) == "new")
        #expect(folder.contents() == ["far", "far/target", "link", "near"])
        var status = stat()
        #expect(lstat(folder.path("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(lstat(target, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
    }

    @Test func targetOfADanglingLinkIsCreated() throws {
        try folder.makeFolder("far")
        symlink("far/new", folder.path("link"))

        try write("new", to: folder.path("link"))

        #expect(try TestFile.text(folder.path("far/new")) == "new")
        #expect(folder.contents() == ["far", "far/new", "link"])
    }

    @Test func loopOfLinksIsRefused() throws {
        symlink("b", folder.path("a"))
        symlink("a", folder.path("b"))

        #expect(errno(folder.path("a")) == ELOOP)
        #expect(folder.contents() == ["a", "b"])
    }

    @Test func linkIntoAMissingOrReadOnlyFolderIsRefused() throws {
        symlink(folder.path("missing/file"), folder.path("a"))
        // Not even root can create files in /proc/self.
        symlink("/proc/self/file", folder.path("b"))

        #expect(errno(folder.path("a")) == ENOENT)
        #expect(errno(folder.path("b")) != nil)
    }

    @Test func folderIsRefusedAsOutput() throws {
        symlink(try folder.makeFolder("folder"), folder.path("link"))

        for name in ["folder", "link", "folder/", "new/", "."] {
            #expect(throws: SystemFailure(errno: EISDIR, "create \(folder.path(name))", purpose: .makeOutput)) {
                try OutputFile(path: folder.path(name))
            }
        }
        #expect(errno("") == ENOENT)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a link"))
    func anotherUsersLinkInASharedFolderIsNotFollowed() throws {
        let target = try folder.write("target", "old")
        let shared = try folder.makeFolder("shared")
        chmod(shared, 0o1777)
        symlink(target, "\(shared)/theirs")
        lchown("\(shared)/theirs", 12_345, 12_345)
        symlink(target, "\(shared)/ours")

        #expect(errno("\(shared)/theirs") == EACCES)
        #expect(try TestFile.text(target) == "old")
        #expect(errno("\(shared)/ours") == nil)
        // In a folder where no other user may create links, every link is followed.
        chmod(shared, 0o755)
        #expect(errno("\(shared)/theirs") == nil)
    }

    // MARK: Mode and owner

    @Test func replacementKeepsTheMode() throws {
        let path = try folder.write("out", "old")
        for mode: mode_t in [0o600, 0o640, 0o777] {
            chmod(path, mode)
            try write("new", to: path)
            #expect(TestFile.mode(path) == mode)
        }
        // The set-user-ID bit belonged to the old content.
        chmod(path, 0o4755)
        try write("new", to: path)
        #expect(TestFile.mode(path) == 0o755)
    }

    @Test func newFileFollowsTheUmask() throws {
        // Compares with an ordinary file, since reading the umask would change it for the whole process.
        let plain = try File.open(folder.path("plain"), O_WRONLY | O_CREAT, mode: 0o666)
        try write("new", to: folder.path("out"))
        #expect(TestFile.mode(folder.path("out")) == TestFile.mode(plain.path))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a file"))
    func replacementKeepsOwnerAndGroup() throws {
        let path = try folder.write("out", "old")
        chown(path, 12_345, 23_456)
        chmod(path, 0o620)
        try write("new", to: path)

        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_uid == 12_345 && status.st_gid == 23_456)
        #expect(TestFile.mode(path) == 0o620)
    }

    @Test func temporaryFileHasNoMoreRightsThanTheReplacedFile() throws {
        let path = try folder.write("out", "old")
        chmod(path, 0o600)
        #expect(try OutputTarget(path).initialMode == 0o600)
        #expect(try OutputTarget(folder.path("new")).initialMode == 0o666)
        let output = try OutputFile(path: path)

        let temporary = try #require(folder.contents().first { $0 != "out" })
        #expect(TestFile.mode(folder.path(temporary)) == 0o600)
        withExtendedLifetime(output) {}
    }

    @Test(.enabled(if: geteuid() != 0, "root may write to read-only files"))
    func readOnlyFileIsNotReplaced() throws {
        let path = try folder.write("out", "old")
        chmod(path, 0o444)

        #expect(errno(path) == EACCES)
        #expect(try TestFile.text(path) == "old")
    }

    @Test func otherHardLinkKeepsTheOldContent() throws {
        let path = try folder.write("out", "old")
        link(path, folder.path("other"))
        try write("new", to: path, synchronized: true)

        #expect(try TestFile.text(folder.path("other")) == "old" && TestFile.text(path) == "new")
    }

    // MARK: Streams

    @Test func pipeIsWrittenInPlace() throws {
        let path = folder.path("pipe.jpg")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = try File.open(path, O_RDONLY | O_NONBLOCK)
        try write("whole", to: path, synchronized: true)
        var piece = [UInt8](repeating: 0, count: 16)
        let count = try piece.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(piece[..<count] == Array("whole".utf8)[...])
        #expect(folder.contents() == ["pipe.jpg"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func openFileIsAppendedTo() throws {
        let path = try folder.write("log", "before ")
        let file = try File.open(path, O_WRONLY | O_APPEND)
        // A link like /dev/stdout.
        symlink("/dev/fd/\(file.descriptor)", folder.path("link"))

        for name in ["/dev/fd/\(file.descriptor)", folder.path("link")] { try write("after ", to: name) }

        #expect(try TestFile.text(path) == "before after after ")
        #expect(TestFile.exists("/dev/fd/\(file.descriptor)"))
        #expect(folder.contents() == ["link", "log"])
    }
}
