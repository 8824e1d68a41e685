// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What a file system has left for this user.
///
/// **Source**: statvfs(3).
package struct FileSystemSpace: Sendable, Hashable {
    /// The free bytes that users other than root may use.
    package let freeBytes: Int
    /// The free inodes; `nil` if the file system has no fixed number.
    package let freeInodes: Int?
    /// Whether it is mounted read-only.
    package let isReadOnly: Bool

    /// Creates a description.
    package init(freeBytes: Int, freeInodes: Int?, isReadOnly: Bool) {
        self.freeBytes = freeBytes
        self.freeInodes = freeInodes
        self.isReadOnly = isReadOnly
    }

    /// Inspects the file system of an existing file or folder; `nil` if the system does not tell.
    package init?(of path: String) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let blocks = UInt64(clamping: status.f_bavail)
        let (bytes, overflow) = blocks.multipliedReportingOverflow(
            by: UInt64(clamping: status.f_frsize)
        )
        freeBytes = overflow ? .max : Int(clamping: bytes)
        freeInodes = status.f_files == 0 ? nil : Int(clamping: status.f_favail)
        isReadOnly = UInt64(status.f_flag) & Self.readOnly != 0
    }

    /// `ST_RDONLY`, which has this value on all systems.
    private static let readOnly: UInt64 = 1
}
