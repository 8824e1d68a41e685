// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension File {
    /// Creates a file without a name, which only this process can use.
    ///
    /// Its space is freed when it is closed or the process ends in any way.
    ///
    /// **Source**: `O_TMPFILE` of open(2); mkstemp(3) and unlink(2) if the file system does not
    /// support that.
    ///
    /// - Parameter folder: A folder on the file system to use.
    /// - Throws: `FileError` if the system cannot create it.
    package init(unnamedIn folder: String) throws(FileError) {
        #if canImport(Glibc)
        // Swift does not import this flag from glibc's headers: its own bit, and that of a folder.
        let flags = O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20000000
        let unnamed = unsafe open(folder, flags, 0o600)
        if unnamed >= 0 {
            try self.init(opened: unnamed, named: folder)
            return
        }
        guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else {
            throw FileError.last("create a file in", folder)
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
        guard descriptor >= 0 else { throw FileError.last("create a file in", folder) }
        try self.init(opened: descriptor, named: folder)
    }
}
