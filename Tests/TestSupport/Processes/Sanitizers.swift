import Libc

/// Whether the tools are built with AddressSanitizer, which delays the reuse of freed memory, so that their memory use
/// is meaningless.
public let isUnderAddressSanitizer = getenv("ASAN_OPTIONS") != nil
