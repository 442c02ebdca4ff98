import Remote
import Support

/// The rights that a command needs in addition to its cache.
public struct SandboxRequirements: Sendable, Equatable {
    /// Files to read: the command's arguments. Addresses among them are harmless, because no file has such a path.
    public var inputs: [String] = []
    /// Files to write.
    public var outputs: [String] = []
    /// Folders to write files into.
    public var folders: [String] = []
    public var usesNetwork = false
    /// A PEM file with the certificates to trust instead of the system's.
    public var certificates: String?
    /// The remote of the cache, if any.
    public var remote: RemoteSettings?
    public var drawsText = false
    /// The font of the text: a file, or a family.
    public var font: String?
    /// Whether the command may load libraries that decode or encode pictures.
    public var loadsCodecs = false
    /// Whether the command may load libidn2, for an internationalised host name.
    public var mapsHosts = false
    public var usesCache = true
    /// Whether the command fails without a root. False if its operands may be files.
    public var usesRoot = true
    /// Whether the command reads records or lines on standard input.
    public var readsInput = false
    /// Whether the command may change the cache. If so, a missing root is created.
    public var changesCache: Bool

    public init(changesCache: Bool = true) { self.changesCache = changesCache }

    /// The requirements of a command that only reads the cache.
    public static let looking = SandboxRequirements(changesCache: false)
}

extension Confinement {
    /// Allows only the requirements of a command and the folders of its cache.
    public init(_ requirements: SandboxRequirements, cache folders: [String], environment: Environment) {
        self.init(readable: requirements.inputs, writable: requirements.folders)
        allowBasics()
        if requirements.usesCache { writable += folders }
        // An invalid output is reported when the command writes it.
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
