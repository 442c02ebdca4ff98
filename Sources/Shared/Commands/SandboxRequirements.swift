import Remote
import Support

/// The rights that a command needs. The folders of its cache are known from `CacheSettings`.
public struct SandboxRequirements: Sendable, Equatable {
    /// Files and folders to read, such as the command's operands. May also contain operands that are addresses, which
    /// are the paths of no file.
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
    /// The font of the text: the path of a font file, or the name of a font family.
    public var font: String?
    /// Whether the command may load libraries that decode or encode pictures.
    public var loadsCodecs = false
    /// Whether the command may load libidn2, for an internationalised host name.
    public var mapsHosts = false
    public var usesCache = true
    /// Whether the command fails if no setting and no variable defines the cache root. False if the operands are files,
    /// which need no root.
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
        // The command reports an invalid path when it writes the file.
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
