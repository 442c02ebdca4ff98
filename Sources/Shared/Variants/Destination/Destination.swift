import CacheTools
import Fetch
import Images
import Store
import Support

/// The destination of a record's variants: a cache, a temporary folder, a folder of the user, a file, or standard
/// output.
protocol Destination {
    /// Returns the name of a variant's file. Variants with equal names share a file. Throws if the name is not allowed,
    /// or if it depends on a picture that cannot be read.
    func name(of variant: Variant, from source: some VariantSource) throws -> String

    /// Calls `there` with the index of each file that exists already. Returns a sink for each new file, and nil for
    /// each existing file. `names` must be distinct. `open` and the sinks must be used within `Interruption.during`.
    func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?]
}

extension Destination {
    /// Finds existing variants, makes the others with a single decoding of the picture, and passes each variant to
    /// `ready` as soon as it is complete. If a variant fails, the variants completed before it are kept.
    func variants(
        _ variants: [Variant], of source: some VariantSource, interruption: Interruption,
        ready: (Variant, MadeFile) throws -> Void
    ) throws {
        // Make only one of several variants that share a file.
        var names: [String] = []
        var members: [[Variant]] = []
        for variant in variants {
            let name = try name(of: variant, from: source)
            if let place = names.firstIndex(of: name) {
                members[place].append(variant)
            } else {
                names.append(name)
                members.append([variant])
            }
        }
        try interruption.during {
            let sinks = try open(names) { index, file in
                for variant in members[index] { try ready(variant, file) }
            }
            let missing = sinks.enumerated().compactMap { index, sink in sink.map { (index: index, sink: $0) } }
            if missing.isEmpty { return }
            let requests = missing.map { VariantMaker.Request(members[$0.index][0], sink: $0.sink) }
            try source.make(requests) { place, result in
                let file = try missing[place].sink.commit(FileFacts(result))
                for variant in members[missing[place].index] { try ready(variant, file) }
            }
        }
    }
}

extension Storage {
    /// The destination of files that are not variants of a cache entry.
    var destination: any Destination {
        switch self {
        case .cache(let cache): CacheDestination(cache)
        case .ephemeral(let store): store
        }
    }
}

extension CacheDestination: Destination {
    func name(of variant: Variant, from source: some VariantSource) -> String { source.key(variant) }
}

extension EphemeralStore: Destination {
    func name(of variant: Variant, from source: some VariantSource) -> String { source.key(variant) }
}
