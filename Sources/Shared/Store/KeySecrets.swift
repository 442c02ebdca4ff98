import Libc
import Support

/// Computes the digests that replace secrets from addresses in cache keys (HMAC-SHA-256, RFC 2104). A digest without a
/// key would reveal a PIN to anyone who computes the digests of all PINs.
///
/// The HMAC key is 32 random bytes in the file `key-secret` (mode 0600), created when the first digest is computed: in
/// the root, or in memory for addresses whose policy is `memory`. Because the file is separate from the index, it
/// survives the loss of the index. Read-only commands do not create the file; if it is missing, they use a random key
/// for this process.
public final class KeySecrets: Sendable {
    /// Uses a random HMAC key for this process. For addresses whose pictures are not stored.
    public static let ofProcess = KeySecrets(of: nil, makes: false)
    private static let random = bytes()

    private let settings: CacheSettings?
    private let isMaking: Bool
    private let known = Monitor(Known())

    private struct Known {
        var onDisk: [UInt8]?
        var inMemory: [UInt8]?
    }

    /// Opens no file.
    ///
    /// - Parameters:
    ///   - settings: the settings of a root's caches; nil for addresses whose pictures are not stored.
    ///   - makes: whether to create a missing file.
    public init(of settings: CacheSettings?, makes: Bool) {
        self.settings = settings
        isMaking = makes
    }

    /// Returns 32 hexadecimal digits that replace the value in the key of the address, and whether they are the same in
    /// every process. Throws `CacheFailure`, `UnsafePath` and `SystemFailure` if the file cannot be read or created.
    public func digest(of value: Substring, in address: String) throws -> (text: String, isSameInAllProcesses: Bool) {
        let secret = try secret(for: address)
        let text = HMAC.hex(of: Array(value.utf8), key: secret ?? Self.random).prefix(32)
        return (String(text), secret != nil)
    }

    /// The HMAC key; nil if there is no file.
    private func secret(for address: String) throws -> [UInt8]? {
        guard let settings else { return nil }
        switch settings.policies.policy(for: address) {
        case .enabled: return try secret(\.onDisk) { try folderOnDisk(settings) }
        case .memory: return try secret(\.inMemory) { try folderInMemory(settings.places) }
        case .disabled: return nil
        }
    }

    private func secret(_ place: WritableKeyPath<Known, [UInt8]?>, _ folder: () throws -> Folder?) throws -> [UInt8]? {
        try known.withLock { known throws in
            if let secret = known[keyPath: place] { return secret }
            guard let folder = try folder(), let secret = try read(folder) ?? (isMaking ? make(folder) : nil) else {
                return nil
            }
            known[keyPath: place] = secret
            return secret
        }
    }

    private func folderOnDisk(_ settings: CacheSettings) throws -> Folder? {
        let root = try settings.cacheRoot
        do {
            if isMaking { try root.make() }
        } catch let failure as SystemFailure where Self.isOfReadOnly(failure) {}
        return try root.folder()
    }

    private func folderInMemory(_ places: RuntimePlaces) throws -> Folder? {
        for place in places.memory {
            guard let folder = try? PrivateFolder.open(place, making: false) else { continue }
            if try folder.status(of: CacheRoot.keySecret) != nil { return folder }
        }
        return isMaking ? try PrivateFolder.open(places.memoryFolder(), making: true) : nil
    }

    private func read(_ folder: Folder) throws -> [UInt8]? {
        do {
            let file = try folder.open(CacheRoot.keySecret, O_RDONLY)
            let secret = try file.contents(atMost: Self.count + 1)
            if secret.count == Self.count { return secret }
            throw CacheFailure.io(
                detail: "\(CacheRoot.keySecret) has \(file.count) bytes instead of \(Self.count)", root: folder.path)
        } catch let failure as SystemFailure where failure.isMissing {
            return nil
        }
    }

    /// Creates the file, unless another process has just done so. Returns nil if the folder is read-only: no picture
    /// can be stored there either.
    private func make(_ folder: Folder) throws -> [UInt8]? {
        do {
            try folder.makeOnce(CacheRoot.keySecret, Self.bytes())
        } catch let failure as SystemFailure where Self.isOfReadOnly(failure) {
            return nil
        }
        return try read(folder)
    }

    private static func isOfReadOnly(_ failure: SystemFailure) -> Bool {
        [EROFS, EACCES, EPERM].contains(failure.errno)
    }

    private static let count = 32

    private static func bytes() -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}
