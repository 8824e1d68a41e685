// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplinePlugin
internal import TaplineSystem

/// What a `BatchWriter` writes to.
///
/// **Isolation**: created, used and closed on the thread of the writer.
protocol BatchOutput: AnyObject {
    /// Writes a batch.
    func write(_ batch: [Record]) throws
    /// Completes the output and closes it.
    func finish() throws
    /// Closes the output as it is.
    func abandon()
}

/// Writes batches of records on a thread of its own, in order, while the caller reads further ones.
///
/// The first error ends the thread. It is thrown by the next call of `write`, or by `finish`.
///
/// **Limits**: two batches take memory: `write` waits until the batch before is written, and the
/// caller has filled the next one by then.
/// **Isolation**: one thread at a time, which ends the writer by `finish` or `abandon`.
final class BatchWriter: Sendable {
    private let queue = Mutex(BatchQueue<[Record]>())
    private let thread = Mutex<DedicatedThread?>(nil)
    private let isOpened = DispatchSemaphore(value: 0)
    /// Signalled for each batch, and for the end.
    private let hasWork = DispatchSemaphore(value: 0)
    /// Signalled for each batch that the thread has written, and for its end.
    private let hasSpace = DispatchSemaphore(value: 1)

    /// Starts the thread and opens the output on it.
    ///
    /// **Throws**: the error of the closure, or `DedicatedThreadError`; no thread runs then.
    init(_ open: @escaping @Sendable () throws -> any BatchOutput) throws {
        let started = try DedicatedThread.start { [self] in
            do {
                let output = try open()
                isOpened.signal()
                write(to: output)
            } catch {
                queue.withLock { $0.ended(error) }
                isOpened.signal()
            }
        }
        isOpened.wait()
        if let error = queue.withLock({ $0.error }) {
            started.join()
            throw error
        }
        thread.withLock { $0 = started }
    }

    /// Passes a batch on, as soon as the one before is written.
    ///
    /// **Throws**: the error that has ended the thread.
    func write(_ batch: [Record]) throws {
        hasSpace.wait()
        do {
            try queue.withLock { try $0.added(batch) }
            hasWork.signal()
        } catch {
            // Later calls do not wait for a thread that has ended.
            hasSpace.signal()
            throw error
        }
    }

    /// Writes what waits, completes the output, and ends the thread.
    ///
    /// **Throws**: the error of any batch, or of the end.
    func finish() throws {
        queue.withLock { $0.finished() }
        end()
        if let error = queue.withLock({ $0.error }) { throw error }
    }

    /// Ends the thread after the batch that it writes, without those that wait.
    func abandon() {
        queue.withLock { $0.abandoned() }
        end()
    }

    private func end() {
        hasWork.signal()
        thread.withLock { $0.take() }?.join()
    }

    // MARK: The thread

    private func write(to output: any BatchOutput) {
        var failure: (any Error)?
        do {
            try carryOutSteps(on: output)
        } catch {
            output.abandon()
            failure = error
        }
        queue.withLock { $0.ended(failure) }
        hasSpace.signal()
    }

    private func carryOutSteps(on output: any BatchOutput) throws {
        while true {
            switch queue.withLock({ $0.next() }) {
            case .wait: hasWork.wait()
            case .write(let batch):
                try output.write(batch)
                hasSpace.signal()
            case .finish: return try output.finish()
            case .abandon: return output.abandon()
            }
        }
    }
}
