import Libc

/// Whether tests and tools run under a sanitizer, as with `scripts/test --sanitize`.
///
/// Under a sanitizer, processes need several times as much memory. Without the sanitizer's options, a process searches
/// for leaks when it ends, which a confined process may not do.
public enum Sanitizer {
    public static let isActive = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil
}
