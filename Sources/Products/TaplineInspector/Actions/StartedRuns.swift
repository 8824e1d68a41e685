// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineOperations

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
        /// How many runs are about to begin.
        var starting: [RunRequest.Kind: Int] = [:]
        /// Whether the inspector ends.
        var isClosed = false

        /// Counts a run that is about to begin, if it may.
        mutating func reserve(_ kind: RunRequest.Kind) -> Result<Void, APIError> {
            guard !isClosed else { return .failure(StartedRuns.ending) }
            let running = entries.count { $0.request.kind == kind && $0.run.progress.isRunning }
            let limit = kind == .replay ? 1 : StartedRuns.maxMocks
            guard running + starting[kind, default: 0] < limit else {
                return .failure(StartedRuns.tooMany(kind))
            }
            starting[kind, default: 0] += 1
            return .success(())
        }
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
        // Counted first, so that two cannot both be the last that is allowed; the files are read
        // without the lock, which everything that shows runs takes.
        try state.withLock { $0.reserve(request.kind) }.get()
        let started: Result<any StartedRun, ControlError>
        do throws(ControlError) {
            started = .success(try actions.start(request))
        } catch {
            started = .failure(error)
        }
        let (result, isLate) = state.withLock { state -> (Result<Int, APIError>, Bool) in
            state.starting[request.kind, default: 1] -= 1
            switch started {
            case .failure(let error):
                return (.failure(APIError(409, "not_started", error.description)), false)
            case .success where state.isClosed: return (.failure(Self.ending), true)
            case .success(let run):
                state.count += 1
                state.entries.append(
                    Entry(number: state.count, request: request, started: time, run: run)
                )
                Self.forget(&state.entries)
                return (.success(state.count), false)
            }
        }
        if isLate, case .success(let run) = started { run.stop() }
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

    private static let ending = APIError(409, "not_started", "the inspector is ending")

    private static func tooMany(_ kind: RunRequest.Kind) -> APIError {
        let text = kind == .replay ? "a replay is running" : "\(maxMocks) mocks are running"
        return APIError(409, "too_many", text, help: "Stop one first.")
    }
}
