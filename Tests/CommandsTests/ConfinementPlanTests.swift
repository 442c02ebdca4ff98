import Libc
import Remote
import Support
import TestSupport
import Testing

@testable import Commands

/// The access rights that each kind of command keeps in the sandbox.
struct ConfinementPlanTests {
    private let home: Environment = ["HOME": "/home/ada"]

    private func plan(_ environment: Environment = [:], _ change: (inout SandboxRequirements) -> Void = { _ in })
        -> Confinement
    {
        var requirements = SandboxRequirements()
        change(&requirements)
        return Confinement(requirements, cache: ["/c/apod-tools", "/run/user/7/apod-tools"], environment: environment)
    }

    @Test func lookupKeepsAccessOnlyToTheCache() {
        let plan = plan(home)
        #expect(plan.writable == ["/dev/null", "/c/apod-tools", "/run/user/7/apod-tools"])
        #expect(
            plan.readable.allSatisfy { $0.hasPrefix("/sys/") || $0.hasPrefix("/proc/sys/") || $0 == "/dev/urandom" })
        #expect(plan.callSets == .files)
    }

    @Test func commandThatUsesNoCacheCannotWriteToIt() throws {
        let folder = try TemporaryFolder()
        let plan = plan {
            $0.usesCache = false
            $0.inputs = ["/p/a.jpg"]
            $0.outputs = [folder.path("out.jpg")]
        }
        #expect(plan.writable == ["/dev/null", folder.path + "/"])
        #expect(plan.readable.contains("/p/a.jpg"))
        #expect(!plan.readable.contains("/p"))
    }

    @Test func onlyRemoteServersNeedTheNetwork() throws {
        func plan(_ address: String, _ mode: RemoteSettings.Mode = .both) throws -> Confinement {
            var settings = RemoteSettings(
                try RemoteAddress(address), mode: .both, scopes: .standard, connect: .milliseconds(250),
                wait: .seconds(5))
            settings.mode = mode
            return self.plan { $0.remote = settings }
        }
        #expect(!self.plan().usesNetwork)
        #expect(try plan("https://cache.example.org/").usesNetwork)
        #expect(try plan("redis://cache.example.org").usesNetwork)
        let mount = try plan("file:///mnt/pictures")
        #expect(!mount.usesNetwork && mount.writable.contains("/mnt/pictures"))
        let reading = try plan("file:///mnt/pictures", .read)
        #expect(!reading.writable.contains("/mnt/pictures") && reading.readable.contains("/mnt/pictures"))
    }

    @Test func standardOutputNeedsNoWritableFile() {
        #expect(plan { $0.outputs = ["-"] }.writable == plan().writable)
    }

    @Test func outputLinkMakesOnlyItsTargetFolderWritable() throws {
        let folder = try TemporaryFolder()
        let (here, there) = (try folder.makeFolder("here"), try folder.makeFolder("there"))
        try folder.write("there/real.jpg", "x")
        #expect(symlink("\(there)/real.jpg", "\(here)/link.jpg") == 0)
        #expect(plan { $0.outputs = ["\(here)/link.jpg"] }.writable.contains(there + "/"))
        #expect(!plan { $0.outputs = ["\(here)/link.jpg"] }.writable.contains(here + "/"))
    }

    @Test func outputDeviceIsWritableButNotItsFolder() {
        let writable = plan { $0.outputs = ["/dev/zero"] }.writable
        #expect(writable.contains("/dev/zero"))
        #expect(!writable.contains("/dev"))
    }

    @Test func outputWithoutAFolderMakesTheWorkingDirectoryWritable() {
        #expect(plan { $0.outputs = ["no-such-file.jpg"] }.writable.contains("."))
    }

    @Test func onlyResolverFilesAndCertificatesInEtcAreReadable() {
        let plan = plan(["SSL_CERT_FILE": "/my/system.pem"]) {
            $0.usesNetwork = true
            $0.certificates = "/my/own.pem"
        }
        #expect(plan.usesNetwork)
        for needed in ["/etc/resolv.conf", "/etc/hosts", "/etc/ssl", "/usr", "/my/system.pem", "/my/own.pem"] {
            #expect(plan.readable.contains(needed))
        }
        for secret in ["/", "/etc", "/etc/shadow", "/home", "/root", "/proc", "/run", "/var"] {
            #expect(!plan.readable.contains(secret))
        }
        #expect(plan.callSets == [.files, .network])
    }

    @Test func onlyCommandsWithOutputsMaySetPermissions() throws {
        let folder = try TemporaryFolder()
        #expect(plan { $0.outputs = [folder.path("out.jpg")] }.callSets == [.files, .permissions])
        #expect(plan { $0.folders = [folder.path] }.callSets == [.files, .permissions])
        #expect(plan { $0.outputs = ["-"] }.callSets == .files)
    }

    @Test func commandWithoutOutputsMayChangeNoFiles() {
        let plan = plan {
            $0.usesCache = false
            $0.inputs = ["/p/a.jpg"]
            $0.outputs = ["-"]
        }
        #expect(plan.callSets == [])
    }

    @Test func drawingTextNeedsSystemAndUserFonts() {
        let plan = plan(["HOME": "/home/ada", "XDG_DATA_HOME": "/data"]) {
            $0.drawsText = true
            $0.font = "/p/font.ttf"
        }
        for needed in ["/etc/fonts", "/home/ada/.fonts", "/home/ada/.config/fontconfig", "/data/fonts", "/p/font.ttf"] {
            #expect(plan.readable.contains(needed))
        }
        #expect(!plan.readable.contains("/home/ada"))
        #expect(!plan.usesNetwork)
    }

    @Test func onlyInternationalHostNamesNeedLibraries() {
        #expect(!plan(home) { $0.readsInput = true }.readable.contains("/usr"))
        let plan = plan(home) { $0.mapsHosts = true }
        #expect(plan.readable.contains("/usr") && !plan.readable.contains("/home/ada") && plan.callSets == .files)
    }

    @Test func librariesInLDLibraryPathAreReadable() {
        let plan = plan(["LD_LIBRARY_PATH": "/a/lib:/b/lib"]) { $0.loadsCodecs = true }
        #expect(plan.readable.contains("/a/lib"))
        #expect(plan.readable.contains("/b/lib"))
    }
}
