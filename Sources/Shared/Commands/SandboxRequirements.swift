import Remote
import Support

/// The rights that a command needs in addition to its cache.
public struct SandboxRequirements: Sendable, Equatable {
    /// Files to read: its arguments. Addresses among them do no harm, as there are no such files.
    public var inputs: [String] = []
    /// Files to write.
    public var outputs: [String] = []
    /// Folders to write files into.
    public var folders: [String] = []
    /// Whether it opens connections.
    public var usesNetwork = false
    /// The certificates to trust instead of the system's.
    public var certificates: String?
    /// The remote of its cache, if any.
    public var remote: RemoteSettings?
    /// Whether it draws text.
    public var drawsText = false
    /// The font of that text: a file, or a family.
    public var font: String?
    /// Whether it may load libraries that read or write pictures.
    public var loadsCodecs = false
    /// Whether it may load libidn2, for the host of an address.
    public var mapsHosts = false
    /// Whether it uses the cache at all.
    public var usesCache = true
    /// Whether it fails without a root: false if its operands may be files.
    public var usesRoot = true
    /// Whether it reads standard input for records or lines.
    public var readsInput = false
    /// Whether it may change the cache, so that the root must exist.
    public var changesCache = true

    public init() {}

    /// The needs of a command that only looks into the cache.
    public static var looking: SandboxRequirements {
        var requirements = SandboxRequirements()
        requirements.changesCache = false
        return requirements
    }
}

extension Confinement {
    /// Allows the needs of a command and the folders of its cache, and nothing else.
    public init(_ requirements: SandboxRequirements, cache folders: [String], environment: Environment) {
        self.init(readable: requirements.inputs, writable: requirements.folders)
        allowBasics()
        if requirements.usesCache { writable += folders }
        // An output that cannot be written fails later.
        let outputs = requirements.outputs.filter { $0 != "-" }.compactMap { try? OutputTarget($0).writablePlace }
        writable += outputs
        setsPermissions = !outputs.isEmpty || !requirements.folders.isEmpty
        if requirements.usesNetwork { allowNetwork(environment, certificates: requirements.certificates) }
        switch requirements.remote?.address {
        case .folder(let path) where requirements.remote?.mode == .read: readable.append(path)
        case .folder(let path): writable.append(path)
        case .http, .redis: allowNetwork(environment, certificates: requirements.remote?.certificates)
        case nil: break
        }
        if requirements.drawsText { allowFonts(environment, font: requirements.font) }
        if requirements.loadsCodecs || requirements.mapsHosts { allowLibraries(environment) }
    }
}
