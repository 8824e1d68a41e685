// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension File {
    /// Makes a file without a name, to be written and read by this process alone: its space is free
    /// when it is closed, or when the process ends, however it ends.
    ///
    /// **Source**: `O_TMPFILE` of open(2); where a file system does not have it, mkstemp(3) and
    /// unlink(2).
    ///
    /// - Parameter folder: On whose disk it lies.
    /// - Throws: `FileError` when the system refuses it.
    public init(unnamedIn folder: String) throws(FileError) {
        #if canImport(Glibc)
        // Of glibc's headers Swift does not see the flag: its own bit, and that of a folder.
        let flags = O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20000000
        let unnamed = unsafe open(folder, flags, 0o600)
        if unnamed >= 0 {
            try self.init(opened: unnamed, named: folder)
            return
        }
        guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else {
            throw FileError.last("make a file in", folder)
        }
        #endif
        var template = Array("\(folder)/tapline-XXXXXX".utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let start = buffer.baseAddress else { return -1 }
            let descriptor = unsafe mkstemp(start)
            guard descriptor >= 0 else { return -1 }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            unsafe unlink(start)
            return descriptor
        }
        guard descriptor >= 0 else { throw FileError.last("make a file in", folder) }
        try self.init(opened: descriptor, named: folder)
    }
}
