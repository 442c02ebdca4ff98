import CSystem
import Libc
import Support

/// The current boot of the machine. Bytes written without a disk sync are in the page cache. They are safe until the
/// machine restarts, even if their writer is killed.
extension CacheRoot {
    /// A hash of the machine's boot and the root's mount and folder: a cache that was moved or restored appears to come
    /// from another boot. 0 if bytes may be lost without a restart, as on a network file system or a failing disk, or
    /// if the system does not identify its boots.
    var boot: Int64 {
        get throws {
            guard let folder = try folder() else { return 0 }
            return knownBoot.withLock { known in
                if let known, known.identity == folder.identity { return known.boot }
                let boot = Self.boot(of: folder)
                known = (folder.identity, boot)
                return boot
            }
        }
    }

    /// Runs `body`, which writes to a file. Sets `boot` to 0 after an I/O error: other files may have lost unsynced
    /// bytes too, so their entries must be verified before use.
    func writing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as SystemFailure where failure.errno == EIO {
            if let folder = try? folder() { knownBoot.withLock { $0 = (folder.identity, 0) } }
            throw failure
        }
    }

    private static func boot(of folder: Folder) -> Int64 {
        guard let boot = systemBoot, csystem_is_local(folder.descriptor) else { return 0 }
        let (mount, identity) = (csystem_mount(folder.descriptor), folder.identity)
        // Interpolating a whole struct uses reflection, which took a third of the instructions of a hit.
        return digest(of: "\(boot) \(mount) \(identity.device) \(identity.inode)")
    }

    /// A hash of the machine's boot alone; 0 if the system does not identify its boots.
    static let machineBoot: Int64 = systemBoot.map { digest(of: $0) } ?? 0

    /// Returns 62 bits of a SHA-256. Never 0, because the lowest bit is set.
    private static func digest(of text: String) -> Int64 {
        var hash = SHA256()
        Array(text.utf8).withUnsafeBytes { hash.update($0) }
        return hash.finishAsNumber() & .max | 1
    }

    private static let systemBoot: String? = {
        #if canImport(Darwin)
        var name = [CChar](repeating: 0, count: 64)
        var size = name.count
        guard sysctlbyname("kern.bootsessionuuid", &name, &size, nil, 0) == 0 else { return nil }
        return String(cString: name)
        #else
        guard let file = try? File.open("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let bytes = try? file.contents(atMost: 64), !bytes.isEmpty
        else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        #endif
    }()
}
