// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin
internal import TaplineSystem

/// The log that the app passes to a tap: code of the app, which may call the tap.
///
/// A call that waits for the pipeline must not do so on a thread for which the pipeline is waiting.
///
/// **Isolation**: any thread.
final class ReentrancyGuardedLog: Sendable {
    private let log: Log
    private let speakers = Mutex<Set<ThreadID>>([])

    init(_ log: Log) { self.log = log }

    /// Whether this thread is running the app's log code.
    var speaksHere: Bool {
        let thread = ThreadID.current
        return speakers.withLock { $0.contains(thread) }
    }

    /// The log, wrapped so that it notes the thread that runs it.
    var noted: Log {
        Log(component: log.component) { [self] entry in
            let thread = ThreadID.current
            let isFirst = speakers.withLock { $0.insert(thread).inserted }
            defer { if isFirst { _ = speakers.withLock { $0.remove(thread) } } }
            log.of(entry.component)(entry.level, entry.message)
        }
    }
}
