// SPDX-License-Identifier: MIT

internal import CMimalloc

/// The memory allocator of the process: mimalloc instead of the C library's.
///
/// An exchange takes about ten blocks, and records are freed many at a time. glibc caches seven
/// freed blocks of a size per thread; all others go through lists that cost several times as much.
/// Apps that embed `Tapline` keep their own allocator.
enum Allocator {
    /// References the library, so that a linker that drops unused libraries keeps it.
    static func link() { _ = mi_version() }

    /// Whether the library provides `malloc`; `false` under a sanitizer.
    static var isInUse: Bool { tapline_malloc_is_mimalloc() }
}
