import Support

/// A variant that is to be made.
public struct MissingVariant {
    /// Its place among those that were asked for.
    public let index: Int
    /// Takes its bytes.
    public let sink: any ByteSink
}

extension CacheStore {
    /// Gives files that are made from an original: those that are there, and for the rest what `make` writes, which is
    /// asked once however many threads and processes want the same.
    ///
    /// A variant belongs to the content that its original had: when that changes, it is made anew in the same place.
    /// It goes with its original when that is removed; trimming takes each by its own last use.
    ///
    /// - Parameters:
    ///   - parent: the key of the original, which must be in the cache, else `CacheFailure.absent`.
    ///   - options: a text for each variant, no two equal, that names every option which changes the bytes, and the
    ///     version of whatever makes them.
    ///   - ready: is told the index of each variant as soon as it can be had, and whether it was made now.
    ///   - make: makes those that are missing of the original. It is given the index of each and what takes its bytes;
    ///     and a function to be called for each as it is done.
    ///
    /// Throws what `make` and `ready` throw, `CacheFailure`, `SystemFailure`, `Cancelled`. What was ready by then
    /// stays. If the scope is purged or switched away from meanwhile, whatever fails for it is
    /// `CacheFailure.scopeChanged`.
    public func variants(
        of parent: CacheKey, options: [String], ready: @escaping (Int, Entry, Bool) throws -> Void,
        make: (Entry, [MissingVariant], (Int, FileFacts) throws -> Void) throws -> Void
    ) throws {
        let names = options.map(parent.variantName)
        var missing = Array(names.indices)
        let version = index.version()
        if let original = try recalled(parent.text, version: version) ?? sound(parent) {
            var there: [(index: Int, entry: Entry)] = []
            missing = try missing.filter { index in
                guard let entry = try serveVariant(names[index], of: original) else { return true }
                there.append((index, entry))
                return false
            }
            // The smallest first, as they are made.
            for (index, entry) in there.sorted(by: { $0.entry.pixels < $1.entry.pixels }) {
                try ready(index, entry, false)
            }
        }
        if missing.isEmpty { return }
        try requireWriting()
        try interruption.during {
            let watch = try GenerationWatch(index, active)
            let generation = watch.generation
            // Everyone takes the locks in the same order, so that no two wait for each other.
            let locks = try missing.sorted { names[$0] < names[$1] }.map {
                (index: $0, lock: try lock(names[$0], whileWaiting: watch.check))
            }
            defer { withExtendedLifetime(locks) {} }
            let contended = Set(locks.filter(\.lock.wasContended).map(\.index))
            guard let original = try sound(parent) else { throw CacheFailure.absent(key: parent.text) }
            missing = try missing.filter { variant in
                guard let entry = try serveVariant(names[variant], of: original, isLocked: true) else { return true }
                if contended.contains(variant) { index.count(in: scope) { $0.add(.variantsCoalesced) } }
                try ready(variant, entry, false)
                return false
            }
            if missing.isEmpty { return }
            try watch.explaining {
                try makeMissing(missing, names, key: parent, of: original, generation, ready: ready, make: make)
            }
        }
    }

    /// Makes those of `names` that are missing, each of which is locked.
    private func makeMissing(
        _ missing: [Int], _ names: [String], key: CacheKey, of original: Entry, _ generation: Int64,
        ready: @escaping (Int, Entry, Bool) throws -> Void,
        make: (Entry, [MissingVariant], (Int, FileFacts) throws -> Void) throws -> Void
    ) throws {
        let partials = missing.map {
            PartialFile(name: CacheRoot.partial(names[$0], in: scope, generation: generation), root: index.root)
        }
        defer { for partial in partials { partial.remove() } }
        let files = try partials.map { partial in
            let file = try partial.open()
            // What a killed maker has left goes.
            try partial.restart(file)
            return BoundedFile(file, use: settings.memory?.use)
        }
        let targets = zip(missing, files).map { index, file in MissingVariant(index: index, sink: file) }
        try make(original, targets) { variant, picture in
            guard let place = missing.firstIndex(of: variant) else { return }
            let entry = try keepVariant(
                names[variant], key: key, of: original, generation: generation, partials[place], files[place].file,
                picture)
            try ready(variant, entry, true)
        }
    }

    /// The variant, where there is one of the original's present content.
    private func serveVariant(_ name: String, of original: Entry, isLocked: Bool = false) throws -> Entry? {
        let version = index.version()
        let known = isLocked ? nil : recalled(Self.recentName(ofVariant: name), version: version)
        guard let found = try known ?? sound(name, isLocked: isLocked), found.parentSHA256 == original.sha256,
            let entry = try handOut(found)
        else { return nil }
        if known == nil { remember(entry, as: Self.recentName(ofVariant: name), version: version) }
        index.count(in: scope) {
            $0.add(.variantHits)
            $0.add(.bytesServed, entry.bytes)
        }
        metrics.add(event(.variant, entry, status: "hit"))
        return entry
    }

    private func keepVariant(
        _ name: String, key: CacheKey, of original: Entry, generation: Int64, _ partial: PartialFile, _ written: File,
        _ picture: FileFacts
    ) throws -> Entry {
        let file = try partial.reopen(written)
        let sha256 = try BlobStore.sha256(of: file)
        try file.synchronize()
        let now = clock.now()
        let new = NewEntry(
            name: name, key: key.text, kind: .variant, parent: key.name, parentSHA256: original.sha256,
            url: original.url, file: try BlobStore.file(name + CacheRoot.variantMark, picture), bytes: file.count,
            sha256: sha256, picture: picture, fetchedAt: original.fetchedAt, expiresAt: original.expiresAt,
            lastUsed: now, leaseUntil: lease.end(from: now))
        index.count(in: scope) { $0.add(.variantsMade) }
        let old = try index.find(name, in: scope)
        let entry = try keep(partial.name, as: new, replacing: old, generation: generation)
        metrics.add(event(.variant, entry, status: "made"))
        return entry
    }
}

extension Entry {
    /// Pixels of the picture; none where its size isn't known.
    fileprivate var pixels: Int { (width ?? 0).multipliedReportingOverflow(by: height ?? 0).partialValue }
}
