// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel

/// The file that records are appended to.
///
/// The thread of the sink finishes it when it is large or old, the thread that uploads when it is old
/// and no batch comes.
///
/// **Isolation**: any thread.
final class SpoolFile: Sendable {
    private struct State: ~Copyable {
        var writer: SpoolWriter?
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
    var hasBegun: Bool { state.withLock { $0.writer != nil } }

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
            if let writer = state.writer {
                try writer.append(lines)
                return false
            }
            let writer = try folder.begin(id, at: time)
            state.writer = writer
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
            try state.writer?.sync()
        }
    }

    /// The time until the file is old enough; `nil` without a file.
    var timeLeft: Microseconds? {
        let time = now()
        return state.withLock { state in
            state.writer.map { Microseconds(max(maxAge.count - $0.age(at: time).count, 0)) }
        }
    }

    /// Finishes a file that is large or old enough; returns whether there was one.
    func finishIfDue() throws -> Bool {
        let time = now()
        return try state.withLock { state in
            guard let writer = state.writer else { return false }
            let isDue = writer.size >= maxBytes || writer.age(at: time).count >= maxAge.count
            return isDue ? try finish(&state) : false
        }
    }

    /// Finishes the file; returns whether there was one.
    func finish() throws -> Bool {
        try state.withLock { state in try finish(&state) }
    }

    private func finish(_ state: inout State) throws -> Bool {
        guard let writer = state.writer else { return false }
        do {
            try writer.sync()
        } catch {
            state.failure = "\(error)"
            throw error
        }
        try folder.finish(writer)
        state.writer = nil
        return true
    }
}
