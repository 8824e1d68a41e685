// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension FileSystem {
    /// The folder for large files that exist as long as the process.
    ///
    /// This is `TMPDIR`, or `/var/tmp`, which unlike `/tmp` is always on disk (hier(7)).
    package static var spillFolder: String {
        if let folder = unsafe getenv("TMPDIR") {
            let path = unsafe String(cString: folder)
            if !path.isEmpty { return path }
        }
        return "/var/tmp"
    }

    /// Creates a new folder in `TMPDIR`, or else `/tmp`, whose name begins with a prefix.
    ///
    /// **Throws**: `FileError` if the system cannot create it.
    package static func makeTemporaryFolder(prefix: String) throws(FileError) -> String {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe mkdtemp(start) != nil
        }
        guard isMade else { throw FileError.last("make", "\(parent)/\(prefix)-XXXXXX") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a folder with its content; links are removed, not followed.
    ///
    /// **Throws**: `FileError` for the first entry that cannot be removed.
    package static func removeFolder(_ path: String) throws(FileError) {
        for name in try names(in: path) {
            let child = "\(path)/\(name)"
            var status = stat()
            guard unsafe lstat(child, &status) == 0 else { throw FileError.last("inspect", child) }
            if status.st_mode & S_IFMT == S_IFDIR {
                try removeFolder(child)
            } else {
                try remove(child)
            }
        }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else {
            throw FileError.last("remove", path)
        }
    }
}
