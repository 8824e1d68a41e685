// SPDX-License-Identifier: MIT

internal import Synchronization

/// Limits the lines per second that the scripts of one component may log.
///
/// After an idle period, a burst of up to five times as many lines is allowed.
///
/// **Isolation**: any thread; the lanes of a component share one.
final class LogLimit: Sendable {
    /// The decision about a line.
    enum Answer: Equatable {
        /// The line is written; `leftOut` lines before it were not.
        case write(leftOut: Int)
        /// The line is only counted.
        case leaveOut
    }

    private struct State {
        /// The lines that may be written now, in billionths, so that nanoseconds fill it exactly.
        var credit: UInt64
        var last: UInt64?
        var leftOut = 0
        var leftOutInAll = 0
    }

    private static let line: UInt64 = 1_000_000_000
    private static let maxRate = 1_000_000
    private let rate: UInt64
    private let state: Mutex<State>

    /// Creates a limit; 0 lines a second means no limit.
    init(linesASecond: Int) {
        rate = UInt64(clamping: min(linesASecond, LogLimit.maxRate))
        state = Mutex(State(credit: rate * 5 * LogLimit.line))
    }

    /// Decides about a line, given the time of a monotonic clock.
    func admit(at nanoseconds: UInt64) -> Answer {
        guard rate > 0 else { return .write(leftOut: 0) }
        return state.withLock { state in
            refill(&state, nanoseconds)
            guard state.credit >= LogLimit.line else {
                state.leftOut += 1
                state.leftOutInAll += 1
                return .leaveOut
            }
            state.credit -= LogLimit.line
            defer { state.leftOut = 0 }
            return .write(leftOut: state.leftOut)
        }
    }

    /// Returns and resets the number of lines left out since the last line was written.
    func takeLeftOut() -> Int {
        state.withLock { state in
            defer { state.leftOut = 0 }
            return state.leftOut
        }
    }

    /// The total number of lines left out.
    var leftOutInAll: Int { state.withLock { $0.leftOutInAll } }

    private func refill(_ state: inout State, _ now: UInt64) {
        defer { state.last = now }
        guard let last = state.last, now > last else { return }
        let full = rate * 5 * LogLimit.line
        // After five seconds the credit is full in any case.
        let passed = min(now - last, 5 * 1_000_000_000)
        state.credit = min(full, state.credit + passed * rate)
    }
}
