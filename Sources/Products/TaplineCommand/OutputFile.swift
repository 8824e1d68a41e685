// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// A file that a command writes, which appears when it is complete.
///
/// No new file is left if writing fails, or if a signal ends the process.
struct OutputFile: ~Copyable {
    /// Where to write.
    let file: File
    private let path: String
    private let temporary: String
    private let signals: Signals

    /// Begins a file; `finish` or `abandon` ends it.
    ///
    /// - Parameter path: The file, which is replaced if it exists.
    /// - Throws: `FileError`.
    init(_ path: String) throws(FileError) {
        self.path = path
        temporary = "\(path).\(UInt32.random(in: 0 ... .max)).tmp"
        file = try File(temporary, for: .create)
        signals = Signals(removing: temporary)
    }

    /// Replaces the file by what was written.
    func finish() throws(FileError) {
        try file.syncData()
        try FileSystem.move(temporary, to: path)
        signals.end()
    }

    /// Removes what was written.
    func abandon() {
        try? FileSystem.remove(temporary)
        signals.end()
    }

    /// Writes a file.
    ///
    /// - Parameters:
    ///   - path: The file, which is replaced if it exists.
    ///   - body: Writes the content.
    /// - Throws: `FileError`, or the error of the closure.
    static func write(to path: String, _ body: (borrowing File) throws -> Void) throws {
        let output = try OutputFile(path)
        do {
            try body(output.file)
            try output.finish()
        } catch {
            output.abandon()
            throw error
        }
    }
}
