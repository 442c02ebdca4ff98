import CSystem
import Libc
import Support

/// The boot of the machine. Bytes written without a disk sync are safe until the next boot, even if their writer is
/// killed, because they are in the page cache.
extension CacheRoot {
    /// Identifies the boot of the machine together with the root's mount and folder: a cache that was moved or restored
    /// counts as written in another boot. 0 if bytes may be lost without a restart, as on a network file system or a
    /// failing disk, or if the system does not identify its boots.
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

    /// Runs `body`, which writes to a file. After an I/O error, `boot` is 0: unsynced bytes of other files may be lost
    /// too, so their entries must be verified before use.
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

    /// Identifies the boot of the machine, regardless of the root; 0 if the system does not report it.
    static let machineBoot: Int64 = systemBoot.map { digest(of: $0) } ?? 0

    /// 62 bits of a SHA-256, never 0.
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
