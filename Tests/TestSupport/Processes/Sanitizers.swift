import Libc

/// Whether the tools are built with AddressSanitizer. It delays the reuse of freed memory, so memory use is
/// meaningless.
public let isUnderAddressSanitizer = getenv("ASAN_OPTIONS") != nil
