// SPDX-License-Identifier: MIT

internal import Synchronization

/// How much the scripts of one component may log: so many lines a second, and five times as many
/// at once after a silence.
///
/// **Isolation**: any thread; the lanes of a component share one.
final class LogLimit: Sendable {
    /// What becomes of a line.
    enum Answer: Equatable {
        /// It is written; so many before it were not.
        case write(leftOut: Int)
        /// It is counted, and that is all.
        case leaveOut
    }

    private struct State {
        /// What may be written now, in billionths of a line, so that nanoseconds fill it exactly.
        var credit: UInt64
        var last: UInt64?
        var leftOut = 0
        var leftOutInAll = 0
    }

    private static let line: UInt64 = 1_000_000_000
    private static let maxRate = 1_000_000
    private let rate: UInt64
    private let state: Mutex<State>

    /// 0 lines a second stands for no limit.
    init(linesASecond: Int) {
        rate = UInt64(clamping: min(linesASecond, LogLimit.maxRate))
        state = Mutex(State(credit: rate * 5 * LogLimit.line))
    }

    /// Asks for a line, at a moment of a clock that only goes forward.
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

    /// How many lines were left out since one was last written, which is then told.
    func takeLeftOut() -> Int {
        state.withLock { state in
            defer { state.leftOut = 0 }
            return state.leftOut
        }
    }

    /// How many lines were left out in all.
    var leftOutInAll: Int { state.withLock { $0.leftOutInAll } }

    private func refill(_ state: inout State, _ now: UInt64) {
        defer { state.last = now }
        guard let last = state.last, now > last else { return }
        let full = rate * 5 * LogLimit.line
        // After five seconds it is full, whatever it was.
        let passed = min(now - last, 5 * 1_000_000_000)
        state.credit = min(full, state.credit + passed * rate)
    }
}
