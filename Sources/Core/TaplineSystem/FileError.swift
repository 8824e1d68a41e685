// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Why the system rejected an operation on a file.
///
/// **Source**: errno(3). The text contains the path, never the file's content.
public struct FileError: Error, Sendable, Hashable {
    /// The operation: `open`, `write`, `lock`.
    public let action: String
    /// The file's path.
    public let path: String
    /// The system's error number.
    public let code: Int32

    /// Creates an error.
    package init(_ action: String, _ path: String, code: Int32) {
        self.action = action
        self.path = path
        self.code = code
    }

    /// The error of the last system call.
    static func last(_ action: String, _ path: String) -> FileError {
        FileError(action, path, code: errno)
    }

    /// The system's message in lower case: `no space left on device`.
    public var reason: String {
        var text = [UInt8](repeating: 0, count: 256)
        let isKnown = unsafe text.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe strerror_r(
                code,
                start.assumingMemoryBound(to: CChar.self),
                buffer.count
            ) == 0
        }
        let words = text.prefix { $0 != 0 }
        guard isKnown, !words.isEmpty else { return "error \(code)" }
        return String(decoding: words, as: UTF8.self).lowercased()
    }
}

// MARK: - What callers tell apart

extension FileError {
    /// The file or folder does not exist.
    public var isMissing: Bool { code == ENOENT }

    /// The path already exists, or the target of a folder's move is not empty (see rename(2)).
    public var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }

    /// The other end of a pipe or connection has been closed.
    public var isClosed: Bool { code == EPIPE || code == ECONNRESET }

    /// A FIFO has no reader yet, or a device does not exist (open(2)).
    public var hasNoReader: Bool { code == ENXIO }

    /// There is no space: the disk is full, or a quota or the file size limit is reached.
    public var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// The permissions are insufficient.
    public var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }
}

extension FileError: CustomStringConvertible {
    /// `cannot open '/var/log/traffic.ndjson'; permission denied`.
    public var description: String { "cannot \(action) '\(path)'; \(reason)" }
}
