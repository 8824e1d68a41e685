// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
package import TaplineSystem

/// The output of the command: data goes to standard output, everything else to standard error.
///
/// **Isolation**: any thread. A progress line is erased before each text and drawn again after it.
package final class Console: Sendable {
    private struct State {
        var progress = ""
    }

    private let state = Mutex(State())
    private let output: @Sendable ([UInt8]) -> Void
    private let errors: @Sendable ([UInt8]) -> Void
    /// Whether standard error is a terminal.
    package let isTerminal: Bool
    /// Whether standard output is a terminal.
    package let outputIsTerminal: Bool
    /// The number of columns of the terminal that standard output is; `nil` if it is none.
    package let outputWidth: Int?
    /// The number of rows of that terminal.
    package let outputHeight: Int?
    private let isClosed: @Sendable () -> Bool
    private let hasLostReader: @Sendable () -> Bool
    private let lastOutputError: @Sendable () -> FileError?

    /// A console that writes through closures.
    package init(
        isTerminal: Bool,
        outputIsTerminal: Bool = false,
        outputWidth: Int? = nil,
        outputHeight: Int? = nil,
        isOutputClosed: @escaping @Sendable () -> Bool = { false },
        isReaderGone: @escaping @Sendable () -> Bool = { false },
        outputError: @escaping @Sendable () -> FileError? = { nil },
        output: @escaping @Sendable ([UInt8]) -> Void,
        errors: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.isTerminal = isTerminal
        self.outputIsTerminal = outputIsTerminal
        self.outputWidth = outputWidth
        self.outputHeight = outputHeight
        isClosed = isOutputClosed
        hasLostReader = isReaderGone
        lastOutputError = outputError
        self.output = output
        self.errors = errors
    }

    /// The console of the process.
    ///
    /// Failed writes to standard error are ignored, since there is no place left to report them.
    static func process() -> Console {
        let output = OutputState()
        return Console(
            isTerminal: File.standardError.isTerminal,
            outputIsTerminal: File.standardOutput.isTerminal,
            outputWidth: File.standardOutput.terminalWidth,
            outputHeight: File.standardOutput.terminalHeight,
            isOutputClosed: { output.hasFailed.load(ordering: .relaxed) },
            isReaderGone: { File.standardOutput.isReaderGone },
            outputError: { output.error.withLock { $0 } },
            output: { bytes in
                guard !output.hasFailed.load(ordering: .relaxed) else { return }
                do throws(FileError) {
                    try File.standardOutput.write(bytes.span)
                } catch {
                    output.hasFailed.store(true, ordering: .relaxed)
                    if !error.isClosed { output.error.withLock { $0 = error } }
                }
            },
            errors: { try? File.standardError.write($0.span) }
        )
    }

    /// Whether a write to standard output has failed, as after `| head`.
    package var isOutputClosed: Bool { isClosed() }

    /// Why a write to standard output failed; `nil` if none did, or if nobody reads it any more.
    var outputError: FileError? { lastOutputError() }

    /// Whether nobody reads standard output any more, found without a write, by a system call.
    package var isReaderGone: Bool { hasLostReader() }

    /// Writes data, followed by a line end if it has none.
    package func print(_ text: String) {
        output(Console.line(text))
    }

    /// Writes data unchanged.
    package func write(_ bytes: [UInt8]) {
        guard isTerminal, outputIsTerminal else { return output(bytes) }
        state.withLock { state in
            guard !state.progress.isEmpty else { return output(bytes) }
            errors(Array("\r\u{1B}[K".utf8))
            output(bytes)
            // In an unfinished line the progress would be part of it.
            if bytes.last == UInt8(ascii: "\n") {
                errors(Array(state.progress.utf8))
            } else {
                state.progress = ""
            }
        }
    }

    /// Writes lines that may come from traffic; on a terminal, control characters are visible.
    package func writeLines(_ bytes: [UInt8]) {
        guard outputIsTerminal else { return write(bytes) }
        var text = TerminalText(isColoured: false)
        text.showLines(bytes.span)
        write(text.bytes)
    }

    /// Writes a line to standard error.
    package func note(_ text: String) {
        state.withLock { state in
            let restore = state.progress.isEmpty ? "" : "\r\u{1B}[K"
            errors(Array(restore.utf8) + Console.line(text) + Array(state.progress.utf8))
        }
    }

    /// Draws the progress line, or erases it if the text is empty.
    package func showProgress(_ text: String) {
        guard isTerminal else { return }
        state.withLock { state in
            if text.isEmpty, state.progress.isEmpty { return }
            state.progress = text
            errors(Array("\r\u{1B}[K\(text)".utf8))
        }
    }

    private static func line(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        return bytes
    }
}

/// Whether a write to standard output has failed.
private final class OutputState: Sendable {
    let hasFailed = Atomic<Bool>(false)
    /// Why, unless nobody reads it any more.
    let error = Mutex<FileError?>(nil)
}
