import CacheTools
import Fetch
import Images
import Store
import Support

/// A place for the variants of one record: a cache, past the cache, a folder, a file, or standard output.
///
/// `open` alone asks whether a file is there already, and `Sink.commit` alone hands over one that was made. What makes
/// variants does not ask where they go.
protocol Destination {
    /// The name that a variant has there; two of one name are the same file. Throws if it can have none, for example
    /// `OutputFailure`, or if that depends on a picture which cannot be read.
    func name(of variant: Variant, from source: some VariantSource) throws -> String

    /// Gives the files that are there, and sinks for the others: nil for each that is there. To be called within
    /// `Interruption.during`, which also covers the use of the sinks. Throws if nothing can be read or written there,
    /// and what `there` throws.
    ///
    /// - Parameters:
    ///   - names: no two equal.
    ///   - there: is told the index of each file that is there.
    func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?]
}

extension Destination {
    /// Gives variants: files that are there, and the rest made of `source`, all in one go. `ready` is told each as soon
    /// as it can be had; those stay also if a later one fails. Throws what the source, the destination and `ready`
    /// throw.
    func variants(
        _ variants: [Variant], of source: some VariantSource, interruption: Interruption,
        ready: (Variant, MadeFile) throws -> Void
    ) throws {
        // Variants of other names can be the same file.
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
    /// Where files go that are variants of nothing that is kept here.
    var destination: any Destination {
        switch self {
        case .cache(let cache): CacheDestination(cache)
        case .bypass(let bypass): bypass
        }
    }
}

extension CacheDestination: Destination {
    func name(of variant: Variant, from source: some VariantSource) -> String { source.key(variant) }
}

extension Bypass: Destination {
    func name(of variant: Variant, from source: some VariantSource) -> String { source.key(variant) }
}
