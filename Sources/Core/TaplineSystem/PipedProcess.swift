// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A started program that reads what this process writes, such as a pager.
///
/// Its output and errors go to the streams of this process.
package struct PipedProcess: ~Copyable, Sendable {
    private let child: ChildProcess
    private let input: File

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - environment: All variables that it gets.
    /// - Throws: `FileError` if the system cannot start it.
    package init(_ words: [String], environment: [String: String]) throws(FileError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw FileError.last("make", "pipe") }
        // Otherwise the program itself would hold the writing end, and never read the end.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let name = "input of '\(words.first ?? "")'"
        let reader = try File(opened: ends[0], named: name)
        let writer = try File(opened: ends[1], named: name)
        let started = try ChildProcess(
            words,
            environment: environment,
            input: .pipe(reader.descriptor)
        )
        child = started
        input = writer
    }

    /// Writes bytes; blocks while the program does not read.
    ///
    /// **Throws**: `FileError`; `isClosed` if the program does not read any more.
    package func write(_ bytes: Span<UInt8>) throws(FileError) {
        try input.write(bytes)
    }

    /// Whether the program does not read any more.
    package var isReaderGone: Bool { input.isReaderGone }

    /// Ends the input and waits for the program to exit.
    package consuming func finish() throws(FileError) -> ChildProcess.Ending {
        // All bytes are written; an error of closing a pipe has no consequence.
        try? input.close()
        return try child.wait()
    }
}
