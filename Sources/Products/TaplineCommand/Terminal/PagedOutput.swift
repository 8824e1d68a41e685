// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCommandLine
internal import TaplineSystem

/// Standard output, through a pager if it is a terminal and the text is longer than the screen.
///
/// Text waits until it fills the screen or ends.
///
/// **Isolation**: any thread.
final class PagedOutput: Sendable {
    private struct State: ~Copyable {
        var waiting: [UInt8] = []
        /// The number of rows that the text takes so far.
        var rows = 0
        /// The number of columns of the last row.
        var column = 0
        /// Whether text is written without a pager from now on.
        var isDirect: Bool
        var process: PipedProcess?
        var isClosed = false
    }

    /// The exit codes of a shell that cannot run a command.
    private static let shellFailures: ClosedRange<Int32> = 126...127

    private let console: Console
    private let pager: Pager?
    private let height: Int
    private let width: Int
    private let state: Mutex<State>

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - invocation: The command line, which may exclude a pager by `--no-pager`.
    ///   - isPaged: Whether the text may go through a pager at all.
    init(_ invocation: Invocation, isPaged: Bool = true) {
        console = invocation.console
        let isPossible = isPaged && console.outputIsTerminal && !invocation.has("no-pager")
        pager = isPossible ? Pager(invocation.environment.variables) : nil
        height = console.outputHeight ?? 24
        width = max(console.outputWidth ?? 80, 1)
        state = Mutex(State(isDirect: pager == nil))
    }

    /// Whether nobody reads the output any more.
    var isClosed: Bool { state.withLock { $0.isClosed } || console.isOutputClosed }

    /// Whether a pager has the terminal.
    var isPaging: Bool {
        // While another thread writes to the pager, the state is locked.
        state.withLockIfAvailable { $0.process != nil } ?? (pager != nil)
    }

    /// Notices without a write that nobody reads the output any more.
    func checkReader() {
        // A thread that holds the lock while it writes notices it by itself.
        _ = state.withLockIfAvailable { state in
            if state.process?.isReaderGone ?? console.isReaderGone { state.isClosed = true }
        }
    }

    /// Writes bytes.
    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            if state.isClosed { return }
            if state.isDirect {
                console.write(bytes)
            } else if state.process != nil {
                pass(bytes, &state)
            } else {
                state.waiting += bytes
                count(bytes, &state)
                // One row is for the prompt of the shell.
                if state.rows >= height { start(&state) }
            }
        }
    }

    /// Writes what waits, and no longer waits for a full screen.
    ///
    /// For results that take long to find; they do not go through a pager then.
    func stopWaiting() {
        state.withLock { state in
            if state.process == nil { writeDirectly(&state) }
        }
    }

    /// Writes what waits, and waits until the user leaves the pager.
    ///
    /// - Returns: Whether the pager could be run.
    func finish() -> Bool {
        state.withLock { state in
            guard let process = state.process.take() else {
                writeDirectly(&state)
                return true
            }
            do throws(FileError) {
                let code = try Pager.finish(process)
                guard Self.shellFailures.contains(code) else { return true }
                console.note("tapline: error: cannot run the pager '\(pager?.command ?? "")'")
            } catch {
                console.note("tapline: error: \(error)")
            }
            return false
        }
    }

    private func start(_ state: inout State) {
        do throws(FileError) {
            state.process = try pager?.start()
            let waiting = state.waiting
            state.waiting = []
            pass(waiting, &state)
        } catch {
            console.note("warning: no pager; \(error)")
            writeDirectly(&state)
        }
    }

    /// Writes to the pager; if the user has left it, nothing more is written.
    private func pass(_ bytes: [UInt8], _ state: inout State) {
        do throws(FileError) {
            try state.process?.write(bytes.span)
        } catch {
            state.isClosed = true
        }
    }

    private func writeDirectly(_ state: inout State) {
        state.isDirect = true
        if !state.waiting.isEmpty { console.write(state.waiting) }
        state.waiting = []
    }

    /// Counts the rows of bytes; more than there are if characters take several bytes.
    private func count(_ bytes: [UInt8], _ state: inout State) {
        for byte in bytes where state.rows < height {
            if byte == UInt8(ascii: "\n") {
                state.rows += 1
                state.column = 0
            } else {
                state.column += 1
                if state.column > width {
                    state.rows += 1
                    state.column = 1
                }
            }
        }
    }
}

extension CommonOptions {
    static let noPager = OptionDeclaration(
        name: "no-pager",
        summary: "Write to the terminal without a pager."
    )
}
