import ArgumentParser
import Cache
import Commands
import GIFs
import HTTP
import Support

/// How ExerciseDB is asked, and what stands in for a GIF that it does not give. A protocol rather than a group of
/// options: see `CommonOptions`.
protocol ServiceArguments {
    var apiKeyFile: String? { get }
    var refresh: Bool { get }
    var offline: Bool { get }
    var placeholder: String? { get }
    var noPlaceholder: Bool { get }
}

/// As if the option were not given.
extension ServiceArguments {
    var apiKeyFile: String? { nil }
    var refresh: Bool { false }
    var offline: Bool { false }
    var placeholder: String? { nil }
    var noPlaceholder: Bool { false }
}

extension ArgumentHelp {
    static let apiKeyFile = ArgumentHelp("File that holds the key (else EXERCISEDB_API_KEY).", valueName: "file")
    static let offline: ArgumentHelp = "Never open a connection: give what is kept."
    static let noPlaceholder: ArgumentHelp = "Leave path out of records whose GIF cannot be had."

    static let placeholder = ArgumentHelp(
        "The GIF that stands in for one that cannot be had: a file, or an address (else a drawn one).",
        valueName: "file|url")

    static let wantedResolution = ArgumentHelp(
        "Pixels of a side: 180, 360, 720 or 1080, as far as the plan goes (180).", valueName: "pixels")
}

/// What a command needs that may ask ExerciseDB. Opens no cache and no connection yet.
struct ServiceWork {
    let context: ToolContext
    let caches: Caches
    let service: ExerciseService
    let client: HTTPClient
    /// For addresses that are not the service's.
    private let plainClient: HTTPClient
    private let arguments: any ServiceArguments

    /// - Parameter refreshesGIFs: whether those that are there and fresh are asked for again.
    init(
        _ arguments: some ServiceArguments, _ common: some CommonArguments, _ network: some NetworkArguments,
        refreshesGIFs: Bool = false
    ) throws {
        if arguments.offline, arguments.refresh {
            throw UsageFailure("--refresh and --offline cannot be combined")
        }
        if arguments.placeholder != nil, arguments.noPlaceholder {
            throw UsageFailure("--placeholder and --no-placeholder cannot be combined")
        }
        let context = try common.context(tool: "gif-cache")
        var settings = try common.cacheSettings(context)
        settings.isOffline = arguments.offline
        settings.refreshes = refreshesGIFs
        let caches = Caches(
            settings: settings, log: context.log, metrics: context.metrics, interruption: context.interruption)
        let quotas = caches.quotas(log: context.log)
        let ledger = arguments.refresh ? RenewedQuotas.over(quotas) : quotas
        service = try context.exerciseService(
            key: context.secret(file: arguments.apiKeyFile, variable: "EXERCISEDB_API_KEY"))
        let passwords = try network.passwords(context)
        client = try network.client(context, passwords: passwords) {
            QuotaTransport(over: ExerciseTransport(over: $0), ledger: ledger, log: context.log)
        }
        plainClient = try network.client(context, passwords: passwords)
        self.context = context
        self.caches = caches
        self.arguments = arguments
        var needs = network.networkNeeds
        needs.inputs = arguments.placeholder.map { [$0] } ?? []
        context.confine(settings, needs)
    }

    /// Reads the file of the placeholder, if one is named.
    func tool(_ naming: GIFNaming) throws -> GIFTool {
        let source = try arguments.placeholder.map { try GIFPlaceholder.Source($0) } ?? .drawn
        return GIFTool(
            cache: GIFCache(caches: caches, service: service, client: client), naming: naming,
            placeholder: arguments.noPlaceholder
                ? nil
                : GIFPlaceholder(source, caches: caches, service: service, client: plainClient, log: context.log))
    }
}
