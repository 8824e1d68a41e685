// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension File {
    /// Reads the next bytes, at most as many as fit.
    ///
    /// **Returns**: the number of bytes, 0 only at the end. Blocks until there is data.
    public func read(into buffer: inout MutableSpan<UInt8>) throws(FileError) -> Int {
        guard !buffer.isEmpty else { return 0 }
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 { return count }
            try waitOrThrow("read", for: Int16(POLLIN))
        }
    }

    /// Reads the next bytes and appends them, at most `limit` bytes.
    ///
    /// **Returns**: the number of bytes, 0 only at the end. Blocks until there is data.
    public func read(
        appendingTo buffer: inout [UInt8],
        atMost limit: Int
    ) throws(FileError) -> Int {
        guard limit > 0 else { return 0 }
        while true {
            var count = -1
            buffer.append(addingCapacity: limit) { output in
                unsafe output.withUnsafeMutableBufferPointer { space, filled in
                    let start = unsafe space.baseAddress.map { unsafe $0 + filled }
                    count = unsafe Glibc.read(descriptor, start, min(limit, space.count - filled))
                    if count > 0 { filled += count }
                }
            }
            if count >= 0 { return count }
            try waitOrThrow("read", for: Int16(POLLIN))
        }
    }

    /// Reads at an offset, as much as fits or is available; does not change the read position.
    public func read(
        into buffer: inout MutableSpan<UInt8>,
        at offset: Int
    ) throws(FileError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(
                    descriptor,
                    $0.baseAddress.map { unsafe $0 + filled },
                    $0.count - filled,
                    offset + filled
                )
            }
            if count == 0 { break }
            if count > 0 { filled += count } else { try waitOrThrow("read", for: Int16(POLLIN)) }
        }
        return filled
    }

    /// Sets the read position; fails if the file is not on disk.
    public func seek(to offset: Int) throws(FileError) {
        guard lseek(descriptor, offset, SEEK_SET) >= 0 else { throw FileError.last("seek", path) }
    }

    /// Waits until there is data or the end is reached (poll(2)).
    ///
    /// **Returns**: `false` if there is nothing to read after the given milliseconds.
    package func waitForInput(milliseconds: Int) throws(FileError) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&watched, 1, Int32(clamping: max(milliseconds, 0)))
        guard count >= 0 || errno == EINTR || errno == EAGAIN else {
            throw FileError.last("read", path)
        }
        return count > 0
    }

    /// Whether nobody reads the pipe any more whose writing end this file is (poll(2)).
    package var isReaderGone: Bool {
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        let count = unsafe poll(&watched, 1, 0)
        return count > 0 && watched.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// Handles a failed call: returns when the call should be repeated, and throws otherwise.
    ///
    /// Standard input and output are shared with other processes, any of which may have made them
    /// non-blocking; in that case poll(2) waits.
    func waitOrThrow(_ action: String, for events: Int16) throws(FileError) {
        switch errno {
        case EINTR: return
        case EAGAIN:
            var watched = pollfd(fd: descriptor, events: events, revents: 0)
            let count = unsafe poll(&watched, 1, -1)
            guard count >= 0 || errno == EINTR || errno == EAGAIN else {
                throw FileError.last(action, path)
            }
        default: throw FileError.last(action, path)
        }
    }
}
