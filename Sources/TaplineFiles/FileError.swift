// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Why the system refused something that was asked of a file.
///
/// **Source**: errno(3). The text names the path, never what stands in the file.
public struct FileError: Error, Sendable, Hashable {
    /// What was tried: `open`, `write`, `lock`.
    public let action: String
    /// The file it was tried with.
    public let path: String
    /// The system's number.
    public let code: Int32

    /// An error of these parts.
    public init(_ action: String, _ path: String, code: Int32) {
        self.action = action
        self.path = path
        self.code = code
    }

    /// The error that the last call of the system left behind.
    static func last(_ action: String, _ path: String) -> FileError {
        FileError(action, path, code: errno)
    }

    /// The system's words in small letters: `no space left on device`.
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
    /// There is no such file or folder.
    public var isMissing: Bool { code == ENOENT }

    /// There is something at the path already; where a folder was to be moved, one with something in
    /// it (rename(2) may say either).
    public var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }

    /// Nobody reads the other end of a pipe or a connection any more.
    public var isClosed: Bool { code == EPIPE || code == ECONNRESET }

    /// A FIFO was opened that nobody reads yet, or a device that is not there (open(2)).
    public var hasNoReader: Bool { code == ENXIO }

    /// There is no room: the disk is full, or a quota or the limit for a file is reached.
    public var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// The rights do not suffice.
    public var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }
}

extension FileError: CustomStringConvertible {
    /// `cannot open '/var/log/traffic.ndjson'; permission denied`.
    public var description: String { "cannot \(action) '\(path)'; \(reason)" }
}
