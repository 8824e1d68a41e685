// SPDX-License-Identifier: MIT

package import TaplineSystem

/// How a log writes to its segments and makes them durable; tests replace it.
package struct SegmentWriting: Sendable {
    /// Writes bytes at the end of a file.
    package var bytes: @Sendable (borrowing File, Span<UInt8>) throws(FileError) -> Void = {
        file,
        bytes throws(FileError) in try file.write(bytes)
    }
    /// Waits until the bytes of a file are on disk.
    package var sync: @Sendable (borrowing File) throws(FileError) -> Void = {
        file throws(FileError) in try file.syncData()
    }
    /// Waits until the entries of a folder are on disk.
    package var syncFolder: @Sendable (String) throws(FileError) -> Void = FileSystem.syncFolder

    package init() {}
}
