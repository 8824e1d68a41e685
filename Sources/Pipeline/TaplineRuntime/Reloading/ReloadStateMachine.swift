// SPDX-License-Identifier: MIT

internal import TaplineOperations

/// Combines requests to reload: one reload runs at a time, and one more answers all requests that
/// arrive meanwhile.
///
/// ```
/// idle ──requested──▶ running ──requested──▶ runningAgain
///  ▲                   │  ▲                        │
///  └─────finished──────┘  └────────finished────────┘
/// any ──ended──▶ ended
/// ```
/// Pure: it makes no calls.
struct ReloadStateMachine: ~Copyable {
    typealias Answer = @Sendable (ReloadOutcome) -> Void

    private enum State {
        case idle
        /// A reload runs for these requests.
        case running([Answer])
        /// A reload runs for the first requests, and another one will for the second.
        case runningAgain([Answer], next: [Answer])
        /// The pipeline has ended.
        case ended
    }

    /// What the caller does.
    struct Action {
        /// Start a reload.
        var starts = false
        /// Call these with the outcome.
        var answers: [Answer] = []
    }

    private var state = State.idle

    /// A reload is requested.
    ///
    /// - Returns: An answer to call if the pipeline has ended.
    mutating func requested(_ answer: @escaping Answer) -> Action {
        switch state {
        case .idle:
            state = .running([answer])
            return Action(starts: true)
        case .running(let answers):
            // The running one may have read the files before the change that this one is about.
            state = .runningAgain(answers, next: [answer])
            return Action()
        case .runningAgain(let answers, let next):
            state = .runningAgain(answers, next: next + [answer])
            return Action()
        case .ended:
            state = .ended
            return Action(answers: [answer])
        }
    }

    /// The reload that runs has succeeded or failed.
    mutating func finished() -> Action {
        switch state {
        case .idle:
            state = .idle
            return Action()
        case .running(let answers):
            state = .idle
            return Action(answers: answers)
        case .runningAgain(let answers, let next):
            state = .running(next)
            return Action(starts: true, answers: answers)
        case .ended:
            state = .ended
            return Action()
        }
    }

    /// The pipeline ends.
    ///
    /// - Returns: The answers of requests that will have no reload.
    mutating func ended() -> Action {
        switch state {
        case .idle, .ended:
            state = .ended
            return Action()
        case .running(let answers):
            state = .ended
            return Action(answers: answers)
        case .runningAgain(let answers, let next):
            state = .ended
            return Action(answers: answers + next)
        }
    }
}
