import CSystem
import Libc
import Support

/// The boot of the machine. Bytes that were written without waiting for the disk are safe until the next boot, even if
/// their writer is killed, because the page cache keeps them.
extension CacheRoot {
    /// Identifies the boot of the machine and the mount and the folder of the root: a cache that was moved or restored
    /// counts as written in another boot. 0 if the bytes may be lost without a restart, as on a network file system or
    /// a failing disk, or if the system reports no boot.
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

    /// Runs `body`, which writes to a file. If the disk fails, `boot` is 0 from then on: bytes of other files that wait
    /// for the disk may be lost, too, so entries are verified before use.
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
        // A struct as a whole is printed by reflection, a third of a hit's instructions.
        return digest(of: "\(boot) \(mount) \(identity.device) \(identity.inode)")
    }

    /// Identifies the boot of the machine alone; 0 if the system does not report it.
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
