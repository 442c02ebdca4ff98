import Libc

/// Whether the tools are built with AddressSanitizer, which keeps what is freed for a while, so that their memory says
/// nothing.
public let isUnderAddressSanitizer = getenv("ASAN_OPTIONS") != nil
