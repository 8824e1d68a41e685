// SPDX-License-Identifier: MIT

package import TaplineSystem

/// How a log makes what it has written durable; tests replace it.
package struct SegmentSyncing: Sendable {
    /// Waits until the bytes of a file are on disk.
    package var file: @Sendable (borrowing File) throws(FileError) -> Void = {
        file throws(FileError) in try file.syncData()
    }
    /// Waits until the entries of a folder are on disk.
    package var folder: @Sendable (String) throws(FileError) -> Void = FileSystem.syncFolder

    package init() {}
}
