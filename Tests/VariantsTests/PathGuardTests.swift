import Libc
import Support
import TestSupport
import Testing

@testable import Variants

@Suite struct PathGuardTests {
    private func place(_ path: String, in folders: [String]) -> String? {
        PathGuard(resolved: folders).place(of: path).map { "\($0.folder) \($0.name)" }
    }

    @Test func allowedFolderOfAPathIsFound() {
        let folders = ["/cache", "/run/user/1/apod-tools"]
        #expect(place("/cache/a.jpg", in: folders) == "/cache a.jpg")
        #expect(place("/cache/scopes/x/ab/a.jpg", in: folders) == "/cache scopes/x/ab/a.jpg")
        #expect(place("/run/user/1/apod-tools/a", in: folders) == "/run/user/1/apod-tools a")
        for path in [
            "/cache", "/cache/", "/cache2/a", "/Cache/a", "/cach", "/a", "/", "", "a", "cache/a", "/run/user/1/a",
        ] {
            #expect(place(path, in: folders) == nil, "\(path)")
        }
        #expect(place("/etc/passwd", in: ["/"]) == "/ etc/passwd")
        #expect(place("/etc/passwd", in: []) == nil)
    }

    @Test(arguments: ["/cache/../etc/passwd", "/cache/a/../../b", "/cache/./a", "/cache//a", "/cache/..", "/cache/a/"])
    func pathWithDotsOrEmptyComponentsIsOutside(_ path: String) {
        #expect(place(path, in: ["/cache"]) == nil)
    }

    /// An é may be a single code point or two. The paths differ, although Unicode treats the letters as equal.
    @Test func pathsAreComparedByTheirBytes() {
        #expect(place("/caf\u{E9}/a", in: ["/cafe\u{301}"]) == nil)
        #expect(place("/caf\u{E9}/a", in: ["/caf\u{E9}"]) != nil)
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func bytes(_ path: String) throws -> String {
        let pictures = PathGuard(folders: [folder.path("pictures")])
        return String(decoding: try pictures.open(path).contents(atMost: 100), as: UTF8.self)
    }

    @Test func linksAreResolvedBeforeTheFolderIsChecked() throws {
        _ = try folder.makeFolder("pictures/moon")
        let inside = try folder.write("pictures/moon/a.png", Array("inside".utf8))
        let outside = try folder.write("private.png", Array("outside".utf8))
        for (target, name) in [(outside, "pictures/out.png"), (inside, "in.png"), ("moon", "pictures/m")] {
            #expect(symlink(target, folder.path(name)) == 0)
        }
        for path in [
            "pictures/moon/a.png", "in.png", "pictures/m/a.png", "pictures//moon/./a.png",
            "pictures/../pictures/moon/a.png",
        ] {
            #expect(try bytes(folder.path(path)) == "inside", "\(path)")
        }
        for path in ["private.png", "pictures/out.png", "pictures/../private.png", "pictures/moon/../../private.png"] {
            let path = folder.path(path)
            #expect(throws: PathRefusal.outside(path)) { try bytes(path) }
        }
    }

    @Test func anAllowedFolderMayBeALink() throws {
        _ = try folder.makeFolder("disk")
        let file = try folder.write("disk/a.png", Array("inside".utf8))
        #expect(symlink(folder.path("disk"), folder.path("pictures")) == 0)
        for path in [file, folder.path("pictures/a.png")] { #expect(try bytes(path) == "inside") }
    }

    @Test func refusalDoesNotRevealWhetherAFileExists() throws {
        _ = try folder.makeFolder("pictures")
        for path in ["/no such file", folder.path("pictures/none/../../private.png")] {
            #expect(throws: PathRefusal.outside(path)) { try bytes(path) }
        }
        let missing = folder.path("pictures/none.png")
        let failure = #expect(throws: SystemFailure.self) { try bytes(missing) }
        #expect(failure?.exitCode == .noInput)
    }

    /// Opening a pipe would wait for its writer.
    @Test func onlyRegularFilesAreOpened() throws {
        _ = try folder.makeFolder("pictures/moon")
        let pipe = folder.path("pictures/pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, folder.path("pictures/moon")] {
            #expect(throws: PathRefusal.notAFile(path)) { try bytes(path) }
        }
    }
}
