// Exports the system's C library under one name: Glibc or Musl on Linux, Darwin on macOS.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Darwin
#endif
