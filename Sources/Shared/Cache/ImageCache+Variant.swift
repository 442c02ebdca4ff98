#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

extension ImageCache {
    /// Gives a file that is made from an original: the one that is there, or what `make` writes, which is asked once
    /// however many threads and processes want the same.
    ///
    /// A variant belongs to the content that its original had: when that changes, it is made anew in the same place.
    /// It goes with its original when that is removed; trimming takes each by its own last use.
    ///
    /// - Parameters:
    ///   - parent: the key of the original, which must be in the cache, else `CacheFailure.absent`.
    ///   - options: a text that names every option which changes the bytes, and the version of whatever makes them.
    ///   - make: writes the variant of the original (first) to a path (second), and says what it wrote. The path has
    ///     no extension, and nothing is there.
    /// - Returns: the variant, and whether it was made now.
    ///
    /// Throws what `make` throws, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func variant(
        of parent: CacheKey, options: String, make: (Entry, String) throws -> InspectedPicture
    ) throws -> (entry: Entry, isMade: Bool) {
        let name = parent.variantName(options)
        if let original = try sound(parent.name), let ready = try serveVariant(name, of: original) {
            return (ready, false)
        }
        try requireWriting()
        return try interruption.during {
            let lock = try lock(name)
            defer { withExtendedLifetime(lock) {} }
            let generation = try index.generation()
            guard let original = try sound(parent.name) else { throw CacheFailure.absent(key: parent.text) }
            if let ready = try serveVariant(name, of: original, isLocked: true) {
                if lock.wasContended { index.count { $0.add(.coalesced) } }
                return (ready, false)
            }
            return (try makeVariant(name, key: parent, of: original, generation: generation, make: make), true)
        }
    }

    /// The variant, where there is one of the original's present content.
    private func serveVariant(_ name: String, of original: Entry, isLocked: Bool = false) throws -> Entry? {
        guard let found = try sound(name, isLocked: isLocked), found.parentSHA256 == original.sha256,
            let entry = try handOut(found)
        else { return nil }
        index.count {
            $0.add(.variantHits)
            $0.add(.bytesServed, entry.bytes)
        }
        return entry
    }

    private func makeVariant(
        _ name: String, key: CacheKey, of original: Entry, generation: Int64,
        make: (Entry, String) throws -> InspectedPicture
    ) throws -> Entry {
        let partial = PartialFile(path: index.root.partial(name, in: scope), root: index.root)
        // The folder may be missing; what a killed maker has left must not be.
        _ = try partial.open()
        partial.remove()
        defer { partial.remove() }
        let picture = try make(original, partial.path)
        let file = try File.open(partial.path, O_RDWR)
        fchmod(file.descriptor, 0o600)
        let sha256 = try BlobStore.sha256(of: file)
        try file.synchronize()
        let now = clock.now()
        let new = NewEntry(
            name: name, key: key.text, kind: .variant, parent: key.name, parentSHA256: original.sha256,
            url: original.url, file: try BlobStore.file(name, picture), bytes: file.count, sha256: sha256,
            picture: picture, fetchedAt: original.fetchedAt, expiresAt: original.expiresAt, lastUsed: now,
            leaseUntil: lease.end(from: now))
        index.count { $0.add(.variantsMade) }
        let old = try index.find(name)
        return try keep(partial.path, as: new, replacing: old, generation: generation)
    }
}
