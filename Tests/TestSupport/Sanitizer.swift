import Libc

/// Whether tests and tools run under a sanitizer, as with `scripts/test --sanitize`.
///
/// They then need several times as much memory. A process without the sanitizer's options looks for leaks, which a
/// confined process may not do.
public enum Sanitizer {
    public static let isActive = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil
}
