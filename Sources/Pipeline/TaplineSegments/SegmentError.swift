// SPDX-License-Identifier: MIT

package import TaplineSystem

/// Why a queue on disk cannot be used.
package enum SegmentError: Error, Equatable, CustomStringConvertible {
    /// Another process uses the folder.
    case inUse(String)
    /// Another version of Tapline has written a segment.
    case version(String, UInt32)
    /// The queue has no room for more records within its limit.
    case limit(Int)
    case file(FileError)

    /// The message, for people.
    package var description: String {
        switch self {
        case .inUse(let path): "the queue '\(path)' is in use by another process"
        case .version(let path, let version):
            "'\(path)' has version \(version) of the format, expected \(SegmentFormat.version); "
                + "write its records with the Tapline that made it, or move the folder away"
        case .limit(let bytes): "queue.disk_max_bytes (\(bytes) bytes) is reached"
        case .file(let error): error.description
        }
    }
}
