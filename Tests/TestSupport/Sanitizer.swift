import Libc

/// Whether tests and tools run under a sanitizer, as `scripts/test --sanitize` has it.
///
/// Memory is then several times as large, and a process without its settings looks for leaks, which a confined process
/// may not.
public enum Sanitizer {
    public static let isActive = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil
}
