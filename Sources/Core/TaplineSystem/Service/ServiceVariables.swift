// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The variables with which a service manager such as systemd starts a process.
///
/// **Source**: sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3).
package struct ServiceVariables: Sendable, Hashable {
    /// Their names; programs that this process starts must not get them.
    package static let names = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
        "LISTEN_FDNAMES",
    ]

    /// The largest number of sockets that is accepted.
    static let maxSockets = 256

    /// The address of the manager's socket: a path, or `@` and an abstract name; `nil` if the
    /// manager expects no notices.
    package private(set) var notifySocket: String?
    /// The longest time between two signs of life, in microseconds; `nil` if none are expected.
    package private(set) var watchdogInterval: Int64?
    /// The number of sockets that the manager passes.
    package private(set) var socketCount = 0
    /// The names of these sockets, in order; empty if they have none.
    package private(set) var socketNames: [String] = []
    /// Values that cannot be used, each as a sentence.
    package private(set) var problems: [String] = []

    /// Reads the variables that are meant for a process.
    ///
    /// - Parameters:
    ///   - environment: The variables that the process was started with.
    ///   - process: The id of the process; this one if `nil`.
    package init(_ environment: Environment, process: Int32? = nil) {
        let process = process ?? getpid()
        if let text = environment["NOTIFY_SOCKET"], !text.isEmpty {
            if text.hasPrefix("/") || text.hasPrefix("@") {
                notifySocket = text
            } else {
                refuse("NOTIFY_SOCKET", text, "a path or '@' and a name")
            }
        }
        readWatchdog(environment, process)
        readSockets(environment, process)
    }

    private mutating func readWatchdog(_ environment: Environment, _ process: Int32) {
        guard let text = environment["WATCHDOG_USEC"], !text.isEmpty else { return }
        if let id = environment["WATCHDOG_PID"], Int32(id) != process { return }
        guard let interval = Int64(text), interval > 0 else {
            return refuse("WATCHDOG_USEC", text, "a number of microseconds")
        }
        watchdogInterval = interval
    }

    private mutating func readSockets(_ environment: Environment, _ process: Int32) {
        // The variables of another process were inherited by accident (sd_listen_fds(3)).
        guard let id = environment["LISTEN_PID"], Int32(id) == process,
            let text = environment["LISTEN_FDS"]
        else { return }
        guard let count = Int(text), 0...Self.maxSockets ~= count else {
            return refuse("LISTEN_FDS", text, "a number up to \(Self.maxSockets)")
        }
        socketCount = count
        guard let names = environment["LISTEN_FDNAMES"], !names.isEmpty else { return }
        socketNames = names.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }

    private mutating func refuse(_ name: String, _ found: String, _ expected: String) {
        let shown = found.prefix(100)
        problems.append("wrong value of \(name); found '\(shown)', expected \(expected)")
    }
}

extension Environment {
    /// The same without the variables of a service manager.
    package var withoutServiceVariables: Environment {
        var rest = self
        for name in ServiceVariables.names { rest.variables[name] = nil }
        return rest
    }
}
