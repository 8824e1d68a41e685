// SPDX-License-Identifier: MIT

/// Small text files of the kernel, such as those below `/proc` and `/sys` (proc(5), sysfs(5)).
package enum KernelFile {
    /// Returns the text of a file up to a number of bytes; `nil` if it cannot be read.
    package static func text(of path: String, maxBytes: Int = 65_536) -> String? {
        guard let file = try? File(path, for: .readWithoutWaiting) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < maxBytes {
            let rest = min(maxBytes - bytes.count, 65_536)
            guard let count = try? file.read(appendingTo: &bytes, atMost: rest) else { return nil }
            if count == 0 { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
