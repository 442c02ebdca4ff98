import Support

/// Small things that are kept under names, in collections that their owners choose.
///
/// They belong to the scope, as pictures do: a purge, a switch or a reset takes them away, and what a run keeps that
/// began before one is thrown away. They do not count against the capacity and are not trimmed, since all that there
/// ever is of a collection is small beside one large picture; `clean` takes them a month after they have expired.
extension CacheStore {
    /// What is kept in a collection from one name to another, both included, ascending; expired ones among it. Costs
    /// about 2 µs each. Throws `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while
    /// others keep it busy.
    public func metadata(
        in collection: String, from first: String, through last: String
    ) throws -> [Metadata] {
        try withMetadata { _ in try index.metadata(in: collection, of: scope, from: first, through: last) }
    }

    /// What is kept under the last name that is not behind `last`. Throws `CacheFailure` if the index cannot be used,
    /// and `Cancelled` if the run is stopped while others keep it busy.
    public func newestMetadata(in collection: String, through last: String) throws -> Metadata? {
        try withMetadata { _ in try index.newestMetadata(in: collection, of: scope, through: last) }
    }

    /// Keeps all of it, or none where it throws. What is there already and was fetched later stays.
    ///
    /// Throws `CacheFailure.scopeChanged` where the scope was purged or switched since this cache first looked at its
    /// metadata: nothing that began before must be there afterwards. `readOnly`, `diskFull`, `io`, `busy` as ever.
    public func keep(_ metadata: [Metadata], in collection: String) throws {
        if metadata.isEmpty { return }
        try requireWriting()
        try withMetadata { generation in
            try index.keep(metadata, in: collection, of: active, generation: generation, now: clock.now())
        }
    }

    /// How long expired metadata stays, since it may still be of use where its service cannot be reached.
    static let metadataKeptAfterExpiry: Duration = .seconds(30 * 86_400)

    /// Gives `body` the generation in which the index that lies there now was first asked for metadata; once more where
    /// the root was removed under it.
    private func withMetadata<Result>(_ body: (Int64) throws -> Result) throws -> Result {
        try againIfRemoved {
            // Others than this run may have removed the root, with all that is in it.
            try index.reopenIfReplaced()
            return try body(index.firstSeenGeneration(of: scope))
        }
    }
}
