// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineSystem

/// A file that a command writes, which appears when it is complete.
///
/// No new file is left if writing fails, or if a signal ends the process. What is no regular file,
/// such as a device, a pipe or a link, is written directly, and not replaced. A file that replaces
/// another one has its owner and its permissions.
struct OutputFile: ~Copyable {
    /// Where to write.
    let file: File
    private let path: String
    /// The new file until it is complete; `nil` if the path is written directly.
    private let temporary: String?
    private let signals: Signals?

    /// Begins a file; `finish` or `abandon` ends it.
    ///
    /// - Parameter path: The file, which is replaced if it exists.
    /// - Throws: `FileError`.
    init(_ path: String) throws(FileError) {
        let status = try FileSystem.status(of: path, followingLinks: false)
        let isReplaced = status == nil || status?.kind == .regular
        let name = FileSystem.temporaryName(for: path)
        let file = try File(isReplaced ? name : path, for: isReplaced ? .create : .replace)
        if isReplaced, status != nil { Self.copyOwner(of: path, to: file) }
        self.file = file
        self.path = path
        temporary = isReplaced ? name : nil
        signals = isReplaced ? Signals(beforeEnding: { try? FileSystem.remove(name) }) : nil
    }

    /// Gives a new file the owner and the permissions of the former one; it stays private if the
    /// system refuses that, as it does for a file of somebody else.
    private static func copyOwner(of path: String, to file: borrowing File) {
        do throws(FileError) {
            let former = try File(path, for: .read)
            try file.copyOwner(of: former)
        } catch {}
    }

    /// Replaces the file by what was written.
    func finish() throws(FileError) {
        guard let temporary else { return }
        try file.syncData()
        try FileSystem.move(temporary, to: path)
        signals?.end()
    }

    /// Removes what was written.
    func abandon() {
        guard let temporary else { return }
        try? FileSystem.remove(temporary)
        signals?.end()
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
