// SPDX-License-Identifier: MIT

package import TaplineSystem

/// Secrets in files, which are never arguments: every user of the machine can read those.
package enum SecretFile {
    /// Reads the first line of a file, without its end.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - limit: The number of bytes after which no more is read.
    /// - Returns: The line, which may be longer than the limit.
    /// - Throws: `FileError`.
    package static func firstLine(
        of file: borrowing File,
        atMost limit: Int
    ) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, !bytes.contains(0x0A),
            try file.read(appendingTo: &bytes, atMost: limit) > 0
        {}
        let line = bytes.prefix { $0 != 0x0A }
        return Array(line.last == 0x0D ? line.dropLast() : line)
    }
}
