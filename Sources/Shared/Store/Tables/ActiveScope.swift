/// The scope of a run.
package struct ActiveScope: Sendable {
    package let name: ScopeName
    /// Whether the user named no scope, so that the run uses the current scope.
    package var followsCurrent = false
    /// For a cache in memory, the root on disk that determines the current scope.
    package var followedRoot: CacheRoot?
}
