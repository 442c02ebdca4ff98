import Libc
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Private runtime folders, and the ephemeral files in them.
@Suite struct RuntimePlacesTests {
    private let folder: TemporaryFolder
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func reason(_ path: String, making: Bool = true) -> String? {
        do {
            _ = try PrivateFolder.open(path, making: making)
            return nil
        } catch {
            return failure(of: error).message
        }
    }

    // MARK: Folders

    @Test func missingFolderIsCreatedReadableOnlyByTheUser() throws {
        let path = folder.path("mine")

        #expect(reason(path) == nil)
        #expect(TestFile.mode(path) == 0o700)
        #expect(reason(path) == nil)
    }

    @Test func missingFolderIsNotCreatedUnlessRequested() {
        #expect(reason(folder.path("mine"), making: false) != nil)
        #expect(!TestFile.exists(folder.path("mine")))
    }

    @Test(.enabled(if: isOnDisk, "the temporary folder is in memory")) func folderOnADiskIsNotUsedAsMemory() throws {
        let places = RuntimePlaces(memory: [folder.path("disk")], ephemeral: [])
        let reason = "\(folder.path("disk")) is not in memory"
        #expect(throws: CacheFailure.noMemory(reason: reason)) { try places.memoryFolder() }
        #expect(!TestFile.exists(folder.path("disk")))
    }

    private static let isOnDisk: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        return (try? PrivateFolder.open(folder.path("probe"), making: true)).map(PrivateFolder.isInMemory) == false
    }()

    @Test func linkToAFolderIsRefused() throws {
        try folder.makeFolder("elsewhere")
        symlink(folder.path("elsewhere"), folder.path("link"))

        #expect(reason(folder.path("link")) != nil)
    }

    @Test func fileInPlaceOfTheFolderIsRefused() throws {
        try folder.write("file", "")

        #expect(reason(folder.path("file")) != nil)
    }

    @Test(arguments: [mode_t(0o750), 0o701, 0o777])
    func folderReadableByOthersIsRefused(_ mode: mode_t) throws {
        chmod(try folder.makeFolder("open"), mode)

        #expect(reason(folder.path("open"))?.contains("other users can read it") == true)
    }

    @Test func folderInAWritableParentIsRefused() throws {
        let above = try folder.makeFolder("above")
        chmod(above, 0o777)
        #expect(reason("\(above)/mine")?.contains("every user can rename") == true)

        chmod(above, 0o1777)
        #expect(reason("\(above)/mine") == nil)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a folder"))
    func folderOfAnotherUserIsRefused() throws {
        chown(try folder.makeFolder("theirs"), 12_345, 12_345)

        #expect(reason(folder.path("theirs"))?.contains("belongs to user") == true)
    }

    @Test func firstSafePlaceIsUsed() throws {
        symlink("/", folder.path("link"))
        let places = RuntimePlaces(
            memory: [], ephemeral: [folder.path("link"), folder.path("good"), folder.path("next")])

        #expect(try places.ephemeralFolder().path == folder.path("good"))
        #expect(!TestFile.exists(folder.path("next")))
        let link = folder.path("link")
        #expect(throws: CacheFailure.noRuntimeFolder(reason: "\(link) is not safe: its path contains a symbolic link"))
        {
            try RuntimePlaces(memory: [], ephemeral: [link]).ephemeralFolder()
        }
    }

    @Test func placesComeFromTheEnvironment() {
        let user = geteuid()
        let places = RuntimePlaces(environment: ["XDG_RUNTIME_DIR": "/run/user/7/", "TMPDIR": "relative"])

        #expect(places.memory == ["/run/user/7/apod-tools", "/dev/shm/apod-tools-\(user)"])
        #expect(
            places.ephemeral == [
                "/run/user/7/apod-tools-bypass", "/dev/shm/apod-tools-bypass-\(user)",
                "/tmp/apod-tools-bypass-\(user)",
            ])
    }

    @Test func diskFolderIsNotUsedAsMemory() throws {
        let places = RuntimePlaces(memory: [folder.path("disk/root")], ephemeral: [])

        #expect(throws: CacheFailure.self) { try places.memoryFolder() }
        let failure = CacheFailure.noMemory(reason: "x")
        #expect(failure.exitCode == .cannotCreate && failure.code == "no-memory-folder")
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func memoryFolderIsRecognisedByItsFileSystem() throws {
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)

        #expect(try RuntimePlaces(memory: [memory.path("root")], ephemeral: []).memoryFolder() == memory.path("root"))
    }

    @Test func pathIsClassifiedByItsFolder() {
        let places = RuntimePlaces(memory: ["/m/apod-tools"], ephemeral: ["/m/apod-tools-bypass"])

        #expect(places.memoryFolder(of: "/m/apod-tools/scopes/x.jpg") == "/m/apod-tools")
        #expect(places.memoryFolder(of: "/m/apod-tools-bypass/x.jpg") == nil)
        #expect(places.isEphemeral("/m/apod-tools-bypass/x.jpg"))
        #expect(!places.isEphemeral("/m/apod-tools-bypassed/x.jpg"))
    }

    // MARK: Files

    @Test func fileNameContainsItsExpiry() throws {
        let name = EphemeralName(end: now, token: String(repeating: "0a", count: 16), fileExtension: "jpg")

        let path = name.path(in: "/f")
        #expect(path == "/f/1700000000000-0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a.jpg")
        #expect(EphemeralName(String(path.dropFirst(3))) == name)
    }

    @Test(arguments: [
        "", "x", "1-2.jpg", "-0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a.jpg", "1.jpg-",
        "1700000000000-0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a",
        "x-0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a.jpg", "1-0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A.jpg",
    ])
    func invalidEphemeralNamesAreRejected(_ name: String) {
        #expect(EphemeralName(name) == nil)
    }

    private func bypassFile() throws -> EphemeralFile {
        try EphemeralFile(folder: folder.path, lease: .seconds(600), clock: Clock { [now] in now })
    }

    @Test func uncommittedFileIsRemoved() throws {
        var file: EphemeralFile? = try bypassFile()
        try [1, 2, 3].withUnsafeBytes { try file?.write($0) }
        #expect(folder.contents().count == 1)

        file = nil
        #expect(folder.contents().isEmpty)
    }

    @Test func restartDiscardsEarlierBytes() throws {
        let file = try bypassFile()
        try Array("begun".utf8).withUnsafeBytes { try file.write($0) }
        try file.restart()
        try Array("abc".utf8).withUnsafeBytes { try file.write($0) }

        let made = try file.commit(FileFacts(contentType: "image/png", fileExtension: "png"))
        #expect(made.path == file.path && made.bytes == 3 && made.isNew)
        #expect(try file.finish() == SHA256.hex(of: "abc") && file.count == 3)
        #expect(try TestFile.text(file.path) == "abc")
        #expect(TestFile.mode(file.path) == 0o600)
        #expect(file.path.hasPrefix("\(folder.path)/1700000600000-") && file.path.hasSuffix(".png"))
    }

    @Test func fileFromBeforeTheClockWasSetBackIsSwept() throws {
        let name = "9999999999999-\(String(repeating: "0", count: 32))"
        let future = timeval(tv_sec: Int(Timestamp.now().milliseconds / 1000) + 86_400, tv_usec: 0)
        try #require(utimes(try folder.write(name + ".jpg", "x"), [future, future]) == 0)
        try folder.write(name + ".png", "x")

        RuntimePlaces.sweep(folder.path, now: now)

        #expect(folder.contents() == [name + ".png"])
    }

    @Test func sweepRemovesOnlyExpiredFiles() throws {
        let token = String(repeating: "0", count: 32)
        for end in [1_699_999_999_999, 1_700_000_000_000, 1_700_000_000_001] {
            try folder.write("\(end)-\(token).jpg", "x")
        }
        try folder.write("1-mine.jpg", "x")
        RuntimePlaces(memory: [], ephemeral: [folder.path("missing"), folder.path]).sweep(now: now)

        #expect(folder.contents() == ["1-mine.jpg", "1700000000001-\(token).jpg"])
    }

    @Test func partialFileIsKeptWhileItsWriterLives() throws {
        let file = try bypassFile()
        let abandoned = "1-\(String(repeating: "f", count: 32)).part"
        try folder.write(abandoned, "x")

        RuntimePlaces.sweep(folder.path, now: now + .seconds(86_400))
        #expect(folder.contents() == [String(file.path.split(separator: "/").last ?? "")])
    }

    @Test func sweepReadsALimitedNumberOfNames() throws {
        for number in 0..<10 {
            let token = String(repeating: "\(number)", count: 32)
            try folder.write("1-\(token).jpg", "x")
        }
        // The limit includes `.` and `..`.
        RuntimePlaces.sweep(folder.path, now: now, nameLimit: 5)
        let left = folder.contents().count
        #expect(left >= 5 && left < 10)

        RuntimePlaces.sweep(folder.path, now: now)
        #expect(folder.contents().isEmpty)
    }
}
