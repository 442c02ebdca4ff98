import Support

/// The entry and cached failure of a key, read at the same moment. They determine the next step of a fetch.
package struct LookupResult {
    /// The entry. Its file may be missing until `CacheStore.look` has checked it.
    package var entry: Entry?
    /// Whether the key had a row whose file is missing or has different content.
    package var wasLost = false
    /// The unexpired cached failure of the address, if any.
    package var negative: NegativeAnswer?
    package var version: Int?
}
