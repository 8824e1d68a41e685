// SPDX-License-Identifier: MIT

/// The shares of the processor and of memory from which recording is shed, from 0 to 1; `nil` for
/// never.
package struct SheddingLimits: Sendable, Equatable {
    /// Recording is never shed.
    package static let none = SheddingLimits(processor: nil, memory: nil)

    let processor: Double?
    let memory: Double?

    /// Creates limits.
    package init(processor: Double?, memory: Double?) {
        self.processor = processor
        self.memory = memory
    }

    /// Whether there is any limit.
    var isSet: Bool { processor != nil || memory != nil }
}

/// Decides how much of the recording is shed under pressure.
///
/// As in TCP's congestion control, the share that is recorded is halved while there is pressure and
/// grows slowly afterwards. Between the two there is a range in which it stays as it is, so that it
/// does not swing. A single measurement above a limit does not count as pressure.
struct SheddingController {
    /// The use of the processor and of memory, as shares of what is available.
    struct Load: Equatable {
        var processor = 0.0
        var memory = 0.0
    }

    /// What a measurement changes.
    enum Event: Equatable {
        case began
        case ended
    }

    /// The smallest share that is recorded, so that some traffic stays visible.
    static let leastKept: UInt32 = 1 << 16 / 64
    /// What is added to the share at each calm measurement: at four a second, all is recorded again
    /// after ten seconds.
    static let step: UInt32 = 1 << 16 / 40
    /// The share of a limit below which the pressure is over.
    static let calm = 0.9

    private let limits: SheddingLimits
    private var highInARow = 0
    private(set) var state = SheddingState.none

    init(_ limits: SheddingLimits) { self.limits = limits }

    /// Takes a measurement; they come at regular times.
    mutating func measured(_ load: Load) -> Event? {
        let wasActive = state.isActive
        if let cause = cause(of: load, above: 1) {
            highInARow = min(highInARow + 1, 2)
            guard highInARow > 1 else { return nil }
            state = SheddingState(kept: max(state.kept / 2, Self.leastKept), cause: cause)
            return wasActive ? nil : .began
        }
        highInARow = 0
        guard wasActive, cause(of: load, above: Self.calm) == nil else { return nil }
        state = SheddingState(kept: state.kept + Self.step, cause: state.cause)
        return state.isActive ? nil : .ended
    }

    /// Returns the resource whose use is at least a part of its limit; memory first.
    private func cause(of load: Load, above part: Double) -> SheddingState.Cause? {
        if let limit = limits.memory, load.memory >= limit * part { return .memory }
        if let limit = limits.processor, load.processor >= limit * part { return .processor }
        return nil
    }
}
