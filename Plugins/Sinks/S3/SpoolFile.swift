// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel

/// The file that records are appended to.
///
/// The thread of the sink finishes it when it is large or old, the thread that uploads when it is old
/// and no batch comes.
///
/// ```
/// none ──▶ open ──▶ renamed ──▶ none
/// ```
/// **Isolation**: any thread.
final class SpoolFile: Sendable {
    private enum Phase {
        case none
        /// Records are appended.
        case open(SpoolWriter)
        /// The file is finished, but its name is not durable: the folder is synced until that succeeds.
        case renamed
    }

    private struct State: ~Copyable {
        var phase = Phase.none
        /// Why the file could not be synced when it was to be finished, until a flush reports it.
        var failure: String?
    }

    private let folder: SpoolFolder
    private let maxBytes: Int
    private let maxAge: Microseconds
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    init(_ folder: SpoolFolder, _ settings: S3Settings, now: @escaping @Sendable () -> Timestamp) {
        self.folder = folder
        maxBytes = settings.maxBytes
        maxAge = settings.maxAge
        self.now = now
    }

    /// Whether a file has begun.
    var hasBegun: Bool {
        state.withLock { if case .open = $0.phase { true } else { false } }
    }

    /// Appends lines completely or not at all.
    ///
    /// - Parameters:
    ///   - lines: The lines.
    ///   - id: The first exchange, which a new file is named by.
    /// - Returns: Whether they begin a file.
    /// - Throws: If they cannot be written; none of them is then.
    func append(_ lines: Span<UInt8>, from id: ExchangeID) throws -> Bool {
        let time = now()
        return try state.withLock { state in
            if case .open(let writer) = state.phase {
                // An append that failed may have been the first one.
                let begins = writer.size == 0
                try writer.append(lines)
                return begins
            }
            // This also makes the name of a former file durable.
            let writer = try folder.begin(id, at: time)
            state.phase = .open(writer)
            try writer.append(lines)
            return true
        }
    }

    /// Makes the records durable.
    ///
    /// **Throws**: Also if another thread has failed to since the last call: a later try may succeed
    /// without all records (fsync(2)).
    func sync() throws {
        try state.withLock { state in
            if let failure = state.failure.take() { throw S3SinkError(failure) }
            if case .open(let writer) = state.phase { try writer.sync() }
        }
    }

    /// The time until there is something to finish; `nil` without a file.
    var timeLeft: Microseconds? {
        let time = now()
        return state.withLock { state in
            switch state.phase {
            case .none: nil
            case .open(let writer):
                Microseconds(max(maxAge.count - writer.age(at: time).count, 0))
            case .renamed: Microseconds(0)
            }
        }
    }

    /// Finishes a file that is large or old enough; returns whether there was one.
    ///
    /// If it fails, the next call tries again.
    func finishIfDue() throws -> Bool {
        let time = now()
        return try state.withLock { state in
            if case .open(let writer) = state.phase, writer.size < maxBytes,
                writer.age(at: time).count < maxAge.count
            {
                return false
            }
            return try finish(&state)
        }
    }

    /// Finishes the file; returns whether there was one.
    ///
    /// If it fails, the next call tries again.
    func finish() throws -> Bool {
        try state.withLock { state in try finish(&state) }
    }

    private func finish(_ state: inout State) throws -> Bool {
        switch state.phase {
        case .none: return false
        case .open(let writer):
            do {
                try writer.sync()
            } catch {
                state.failure = "\(error)"
                throw error
            }
            try folder.rename(writer)
            state.phase = .renamed
        case .renamed: break
        }
        try folder.sync()
        state.phase = .none
        return true
    }
}
