// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// Files that commands write, which appear when they are complete.
enum OutputFile {
    /// Writes a file; leaves no new file if it fails, or if a signal ends the process.
    ///
    /// - Parameters:
    ///   - path: The file, which is replaced if it exists.
    ///   - body: Writes the content.
    /// - Throws: `FileError`, or the error of the closure.
    static func write(to path: String, _ body: (borrowing File) throws -> Void) throws {
        let temporary = "\(path).\(UInt32.random(in: 0 ... .max)).tmp"
        let file = try File(temporary, for: .create)
        let signals = Signals(removing: temporary)
        defer { signals.end() }
        do {
            try body(file)
            try file.syncData()
            try FileSystem.move(temporary, to: path)
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
    }
}
