// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What the system knows of a file.
///
/// **Source**: inode(7).
public struct FileStatus: Sendable, Hashable {
    /// The kinds of file that matter here.
    public enum Kind: Sendable, Hashable {
        /// Bytes on a disk: it can be cut, moved and read anew.
        case regular
        /// A folder.
        case folder
        /// A pipe.
        case pipe
        /// A terminal, `/dev/null` and the like.
        case device
        /// A link; only where links are not followed.
        case link
        /// Anything else.
        case other
    }

    /// What kind of file it is.
    public let kind: Kind
    /// Its size in bytes; 0 for what has none.
    public let size: Int
    /// The permission bits.
    public let permissions: UInt32
    /// When its bytes last changed, in microseconds since 1970.
    public let modified: Int64
    /// With the inode, what tells two files apart.
    public let device: UInt64
    /// With the device, what tells two files apart.
    public let inode: UInt64

    /// Whether no folder names it any more: what is written is lost when it is closed.
    public let isRemoved: Bool

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
    }

    /// Whether both are of one and the same file.
    public func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }
}
