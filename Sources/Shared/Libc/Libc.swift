// The C library of the system, whichever it is: the one place where platforms differ in its name.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif
