// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// The replays and mocks that the page has started.
///
/// **Limits**: one replay at a time, since two would disturb each other's figures, four mocks, and
/// 16 runs in all; the oldest one that has ended is forgotten.
/// **Isolation**: any thread.
final class StartedRuns: Sendable {
    /// A run by its number.
    struct Entry: Sendable {
        let number: Int
        let request: RunRequest
        /// When it was started, in microseconds since 1970.
        let started: Int64
        let run: any StartedRun
    }

    private struct State {
        var entries: [Entry] = []
        var count = 0
        /// Whether the inspector ends.
        var isClosed = false
    }

    private static let maxRuns = 16
    private static let maxMocks = 4

    private let actions: any InspectorActions
    private let state = Mutex(State())

    init(_ actions: any InspectorActions) { self.actions = actions }

    /// Where replays are recorded; `nil` if that is a store of the inspector.
    var recordingFolder: String? { actions.recordingFolder }

    /// The runs, the newest first.
    var all: [Entry] { state.withLock { $0.entries.reversed() } }

    /// Starts a run; returns its number.
    ///
    /// - Throws: `APIError` if there are too many, or if it cannot start.
    func start(_ request: RunRequest, at time: Int64) throws(APIError) -> Int {
        // One start at a time, so that two cannot both be the last that is allowed.
        let result = state.withLock { state -> Result<Int, APIError> in
            guard !state.isClosed else {
                return .failure(APIError(409, "not_started", "the inspector is ending"))
            }
            let others = state.entries.filter {
                $0.request.kind == request.kind && $0.run.progress.isRunning
            }
            guard others.count < (request.kind == .replay ? 1 : Self.maxMocks) else {
                return .failure(Self.tooMany(request.kind))
            }
            do throws(ControlError) {
                let run = try actions.start(request)
                state.count += 1
                state.entries.append(
                    Entry(number: state.count, request: request, started: time, run: run)
                )
                Self.forget(&state.entries)
                return .success(state.count)
            } catch {
                return .failure(APIError(409, "not_started", error.description))
            }
        }
        return try result.get()
    }

    func run(_ number: Int) -> Entry? {
        state.withLock { $0.entries.first { $0.number == number } }
    }

    /// Asks all runs to end; none begins afterwards.
    func stopAll() {
        let entries = state.withLock { state -> [Entry] in
            state.isClosed = true
            return state.entries
        }
        for entry in entries { entry.run.stop() }
    }

    private static func forget(_ entries: inout [Entry]) {
        guard entries.count > maxRuns else { return }
        if let index = entries.firstIndex(where: { !$0.run.progress.isRunning }) {
            entries.remove(at: index)
        }
    }

    private static func tooMany(_ kind: RunRequest.Kind) -> APIError {
        let text = kind == .replay ? "a replay is running" : "\(maxMocks) mocks are running"
        return APIError(409, "too_many", text, help: "Stop one first.")
    }
}
