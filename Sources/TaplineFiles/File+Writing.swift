// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension File {
    /// Writes all bytes, waiting where nobody takes them.
    ///
    /// **Throws**: `FileError`; some of the bytes may have been written.
    public func write(_ bytes: Span<UInt8>) throws(FileError) {
        var position = 0
        try write(bytes, from: &position)
    }

    /// Writes all bytes from a position on and moves it past each that was written, so that after
    /// an error the caller knows how far it came.
    ///
    /// **Throws**: `FileError`. A closed pipe is an error only where `SIGPIPE` is ignored, as the
    /// runtime does; the same goes for `SIGXFSZ` and the limit for a file (setrlimit(2)).
    public func write(_ bytes: Span<UInt8>, from position: inout Int) throws(FileError) {
        while position < bytes.count {
            let rest = bytes.extracting(position...)
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                position += count
            } else if count == 0 {
                // POSIX leaves this open for devices; without progress there is nothing to wait for.
                throw FileError("write", path, code: EIO)
            } else {
                try waitOrThrow("write", for: Int16(POLLOUT))
            }
        }
    }

    /// Cuts the file to a size.
    public func truncate(to size: Int) throws(FileError) {
        while ftruncate(descriptor, size) != 0 {
            guard errno == EINTR else { throw FileError.last("cut", path) }
        }
    }

    /// Waits until bytes and size are on the disk (fdatasync(2)).
    ///
    /// What has no disk, such as a pipe, is none the worse for it.
    public func syncData() throws(FileError) {
        while fdatasync(descriptor) != 0 {
            if errno == EINVAL || errno == EROFS { return }
            guard errno == EINTR else { throw FileError.last("sync", path) }
        }
    }
}

#if canImport(Darwin)
/// Darwin declares none; this reaches the disk itself, as fdatasync(2) does on Linux.
private func fdatasync(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_FULLFSYNC) }
#endif
