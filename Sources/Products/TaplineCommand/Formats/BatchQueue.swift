// SPDX-License-Identifier: MIT

/// The batches between a `BatchWriter` and its thread, and who may do what when.
///
/// ```
/// open ── finished ──▶ finishing ──┐
///   │                      │       ├── ended ──▶ ended
///   └─────── abandoned ────┴───────┘
/// ```
///
/// **Isolation**: guarded by the lock of its owner.
struct BatchQueue<Batch> {
    private enum State {
        /// Further batches may come; these wait.
        case open([Batch])
        /// These are the last batches.
        case finishing([Batch])
        /// What waited is not written any more.
        case abandoned
        /// The thread does nothing any more, because of an error if there is one.
        case ended((any Error)?)
    }

    /// What the thread does next.
    enum Step {
        case wait
        case write(Batch)
        /// Completes the output and ends.
        case finish
        /// Ends without completing the output.
        case abandon
    }

    private var state = State.open([])

    /// A batch is to be written.
    ///
    /// **Throws**: the error with which the thread has ended; the batch is not written then.
    mutating func added(_ batch: Batch) throws {
        switch state {
        case .open(let waiting): state = .open(waiting + [batch])
        case .finishing, .abandoned: break
        case .ended(let error): if let error { throw error }
        }
    }

    /// No further batch comes.
    mutating func finished() {
        if case .open(let waiting) = state { state = .finishing(waiting) }
    }

    /// The output is not wanted any more.
    mutating func abandoned() {
        switch state {
        case .open, .finishing: state = .abandoned
        case .abandoned, .ended: break
        }
    }

    /// The thread is ready for another step.
    mutating func next() -> Step {
        switch state {
        case .open(let waiting):
            guard let first = waiting.first else { return .wait }
            state = .open(Array(waiting.dropFirst()))
            return .write(first)
        case .finishing(let waiting):
            guard let first = waiting.first else { return .finish }
            state = .finishing(Array(waiting.dropFirst()))
            return .write(first)
        case .abandoned, .ended: return .abandon
        }
    }

    /// The thread has ended, because of an error if there is one; what waited is not written.
    mutating func ended(_ error: (any Error)?) {
        if case .ended = state { return }
        state = .ended(error)
    }

    /// The error with which the thread has ended.
    var error: (any Error)? {
        if case .ended(let error) = state { error } else { nil }
    }
}
