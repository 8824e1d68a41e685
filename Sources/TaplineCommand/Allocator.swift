// SPDX-License-Identifier: MIT

internal import CMimalloc

/// The memory allocator of the process: mimalloc in place of the C library's.
///
/// An exchange takes some ten blocks, and records are freed many at a time. glibc keeps seven freed blocks
/// of a size at hand for each thread; what is beyond them goes through lists that cost several times as
/// much. Apps that embed `Tapline` keep their own allocator.
enum Allocator {
    /// Refers to the library, so that a linker that drops unused libraries keeps it.
    static func link() { _ = mi_version() }

    /// Whether `malloc` is that of the library; not under a sanitizer.
    static var isInUse: Bool { tapline_malloc_is_mimalloc() }
}
