import Libc
import Support

/// The secrets that keys are made with which stand for secret values of addresses: without one, a PIN in an address
/// could be found out from its key by trying all of them.
///
/// A secret is 32 random bytes in a file of mode 0600, which is made when the first such key is needed: one in the root,
/// and one for all that this user keeps in memory. It belongs to no index, and so outlives a lost one. Runs that only
/// look make none: then a random one of the process stands in, under which nothing is found.
public final class KeySecrets: Sendable {
    /// Those of no root, for what is kept nowhere.
    public static let ofProcess = KeySecrets(nil, makes: false)
    private static let random = bytes()

    private let settings: CacheSettings?
    private let isMaking: Bool
    private let known = Monitor(Known())

    private struct Known {
        var onDisk: [UInt8]?
        var inMemory: [UInt8]?
    }

    private init(_ settings: CacheSettings?, makes: Bool) {
        self.settings = settings
        isMaking = makes
    }

    /// Those of a root. Touches no file.
    ///
    /// - Parameter makes: whether a missing one is made.
    public convenience init(of settings: CacheSettings, makes: Bool) { self.init(settings, makes: makes) }

    /// Returns what stands for a value in the key of an address: 32 hexadecimal digits of its HMAC-SHA-256. Throws
    /// `CacheFailure`, `UnsafePlace` and `SystemFailure` if the secret cannot be read or made.
    public func digest(of value: Substring, in address: String) throws -> String {
        String(HMAC.hex(of: Array(value.utf8), key: try secret(for: address)).prefix(32))
    }

    private func secret(for address: String) throws -> [UInt8] {
        guard let settings else { return Self.random }
        switch settings.policies.policy(for: address) {
        case .enabled: return try secret(\.onDisk) { try folderOnDisk(settings) }
        case .memory: return try secret(\.inMemory) { try folderInMemory(settings.places) }
        case .disabled: return Self.random
        }
    }

    private func secret(
        _ place: WritableKeyPath<Known, [UInt8]?>, _ folder: () throws -> Folder?
    ) throws -> [UInt8] {
        try known.withLock { known throws in
            if let secret = known[keyPath: place] { return secret }
            guard let folder = try folder(), let secret = try read(folder) ?? (isMaking ? make(folder) : nil) else {
                return Self.random
            }
            known[keyPath: place] = secret
            return secret
        }
    }

    private func folderOnDisk(_ settings: CacheSettings) throws -> Folder? {
        let root = settings.cacheRoot
        do {
            if isMaking { try root.make() }
        } catch let failure as SystemFailure where Self.isOfReadOnly(failure) {}
        return try root.folder()
    }

    private func folderInMemory(_ places: RuntimePlaces) throws -> Folder? {
        for place in places.memory {
            if let folder = try? PrivateFolder.open(place, making: false), folder.status(of: CacheRoot.keySecret) != nil
            {
                return folder
            }
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

    /// Makes the file, unless another process is faster; nil in a folder that cannot be written to, where nothing will
    /// be kept either.
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

    private static func bytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
