// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The status of a file.
///
/// **Source**: inode(7).
package struct FileStatus: Sendable, Hashable {
    /// The kinds of files that are distinguished.
    package enum Kind: Sendable, Hashable {
        /// A file on disk: it can be truncated, moved and read again.
        case regular
        /// A folder.
        case folder
        /// A pipe.
        case pipe
        /// A terminal, `/dev/null` or another device.
        case device
        /// A symbolic link; only if links are not followed.
        case link
        /// Anything else.
        case other
    }

    /// The kind of file.
    package let kind: Kind
    /// The size in bytes; 0 if it has none.
    package let size: Int
    /// The permission bits.
    package let permissions: UInt32
    /// When its bytes last changed, in microseconds since 1970.
    package let modified: Int64
    /// The device; together with the inode, it identifies the file.
    package let device: UInt64
    /// The inode; together with the device, it identifies the file.
    package let inode: UInt64

    /// Whether no folder names the file any more: its content is lost when it is closed.
    package let isRemoved: Bool
    /// Whether the file has further names (hard links).
    package let hasOtherNames: Bool

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .folder
        case S_IFIFO: kind = .pipe
        case S_IFCHR: kind = .device
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        size = Int(status.st_size)
        permissions = UInt32(status.st_mode) & 0o7777
        let (seconds, overflow) = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(
            by: 1_000_000
        )
        modified = overflow ? 0 : seconds &+ Int64(status.st_mtim.tv_nsec) / 1000
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        isRemoved = status.st_nlink == 0
        hasOtherNames = status.st_nlink > 1
    }

    /// Whether both refer to the same file.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }
}
