// SPDX-License-Identifier: MIT

/// What a service manager has been notified of, and the next notice for it.
///
/// ```
/// starting ──ready──▶ running ◀──▶ reloading
///     any  ──stop──▶ stopping
/// ```
/// Each event returns the text of a notice, or `nil` if the manager must not get one: it would take
/// `READY=1` after `STOPPING=1`, for example, as the start of a new run.
///
/// **Source**: sd_notify(3).
struct ServiceStateMachine: ~Copyable {
    private enum State {
        case starting
        case running
        /// Reloads in progress, at least one.
        case reloading(Int)
        case stopping
    }

    /// The longest status that is sent, in bytes of UTF-8.
    static let maxStatus = 400

    private var state = State.starting

    /// Whether the manager expects signs of life.
    var isWatched: Bool {
        switch state {
        case .running, .reloading: true
        case .starting, .stopping: false
        }
    }

    /// All sources listen and all sinks are open.
    mutating func becameReady(_ status: String) -> String? {
        guard case .starting = state else { return nil }
        state = .running
        return "READY=1\n" + Self.line(status)
    }

    /// A reload has begun at a time of `CLOCK_MONOTONIC`, in microseconds.
    mutating func reloadBegan(at time: Int64, _ status: String) -> String? {
        switch state {
        case .starting, .stopping: return nil
        case .running:
            state = .reloading(1)
            return "RELOADING=1\nMONOTONIC_USEC=\(time)\n" + Self.line(status)
        case .reloading(let count):
            state = .reloading(count + 1)
            return nil
        }
    }

    /// A reload has succeeded or failed.
    mutating func reloadEnded(_ status: String) -> String? {
        guard case .reloading(let count) = state else { return nil }
        guard count == 1 else {
            state = .reloading(count - 1)
            return nil
        }
        state = .running
        return "READY=1\n" + Self.line(status)
    }

    /// The process has begun to end.
    mutating func stopBegan(_ status: String) -> String? {
        if case .stopping = state { return nil }
        state = .stopping
        return "STOPPING=1\n" + Self.line(status)
    }

    /// The threads of the process have proved that they run.
    func provedAlive() -> String? { isWatched ? "WATCHDOG=1" : nil }

    /// The assignment of a status, on one line.
    private static func line(_ status: String) -> String {
        let isControl = { (scalar: Unicode.Scalar) in scalar.value < 0x20 || scalar.value == 0x7f }
        var text = "STATUS="
        var count = 0
        for scalar in status.unicodeScalars {
            count += Unicode.UTF8.width(scalar)
            if count > maxStatus { break }
            text.unicodeScalars.append(isControl(scalar) ? " " : scalar)
        }
        return text
    }
}
