// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
internal import Synchronization
internal import TaplineFiles
public import TaplinePlugin

/// Capture for the whole app: one line starts it, one stops it.
///
/// ```swift
/// try Tapline.start()
/// ```
/// Two variables of the environment change that without a change of the app: `TAPLINE=off` lets nothing
/// start, `TAPLINE_CONFIG=FILE` names the file in the place of whatever the app says. What is wrong with
/// that file is logged, and the app goes on without capture.
///
/// **Isolation**: any thread; what runs already is not started again, and a start that says how is
/// warned of that.
public enum Tapline {
    private struct State {
        var tap: Tap?
        var starting: Starting?
    }

    /// A tap that is about to run.
    private struct Starting {
        let tap: Tap
        /// Left when it runs, or does not.
        let done = DispatchGroup()
    }

    private static let state = Mutex(State())

    /// The tap that runs, or ran last.
    public static var tap: Tap? { state.withLock { $0.tap } }

    /// Captures what the app sends through URLSession.shared and tapped sessions: the last 100
    /// exchanges, in memory, bodies up to 1 MiB.
    public static func start() throws {
        try start(PluginRegistry(), saysHow: false) {
            Tap(capturesShared: true, log: .standardError)
        }
    }

    /// Captures as a YAML file describes it.
    public static func start(
        configuration: URL,
        plugins: PluginRegistry = PluginRegistry()
    ) throws {
        try start(plugins) {
            Tap(configuration: configuration, plugins: plugins, log: .standardError)
        }
    }

    /// Captures as the components say, which are put together in code.
    ///
    /// ```swift
    /// try Tapline.start {
    ///     Component.redact(json: ["password"])
    ///     Component.terminal
    /// }
    /// ```
    public static func start(@ComponentBuilder components: () -> [Component]) throws {
        try start(Tap(capturesShared: true, log: .standardError, components: components))
    }

    /// Starts a tap for the whole app, unless one runs.
    public static func start(_ tap: @autoclosure () -> Tap) throws {
        try start(PluginRegistry(), tap)
    }

    private static func start(
        _ plugins: PluginRegistry,
        saysHow: Bool = true,
        _ tap: () -> Tap
    ) throws {
        let variables = ProcessEnvironment.variables
        if isOff(variables["TAPLINE"]) { return }
        if isRunning {
            let text = "Tapline runs already: stop() it first, for what this start says to be used"
            if saysHow { Log.standardError.warning(text) }
            return
        }
        guard let file = variables["TAPLINE_CONFIG"], !file.isEmpty else { return try run(tap()) }
        let url = URL(fileURLWithPath: file)
        do {
            try run(Tap(configuration: url, plugins: plugins, log: .standardError))
        } catch {
            // The app has not asked for this file, and goes on without it.
            Log.standardError.error("TAPLINE_CONFIG: nothing is captured: \(error)")
        }
    }

    /// Starts a tap, unless one runs; who comes while one starts waits for that.
    private static func run(_ tap: Tap) throws {
        let own = Starting(tap: tap)
        own.done.enter()
        defer { own.done.leave() }
        while true {
            let other = state.withLock { state -> Starting? in
                if state.tap?.isRunning == true { return nil }
                if let starting = state.starting { return starting }
                state.starting = own
                return own
            }
            guard let other else { return }
            if other.done === own.done { break }
            // Its own log is what it may be waiting for.
            if other.tap.isWaitedFor { return }
            other.done.wait()
        }
        defer { state.withLock { $0.starting = nil } }
        try tap.start(for: .app)
        state.withLock { $0.tap = tap }
    }

    /// Whether the variable `TAPLINE` lets nothing start.
    private static func isOff(_ value: String?) -> Bool {
        ["off", "0", "no", "false"].contains(value?.lowercased())
    }

    /// Captures nothing from now on; what was captured can still be read.
    public static func stop() { state.withLock { $0.starting?.tap ?? $0.tap }?.stop() }

    /// Forgets the entries.
    public static func clear() { tap?.clear() }

    /// Waits until all that has ended is among the entries, and written by the sinks.
    ///
    /// - Parameter limit: The longest to wait.
    /// - Returns: Whether it is; true where nothing runs.
    @discardableResult
    public static func flush(for limit: Duration = .seconds(10)) -> Bool {
        tap?.flush(for: limit) ?? true
    }

    /// Whether it captures.
    public static var isRunning: Bool { tap?.isRunning ?? false }

    /// What was captured last, newest first; what has just ended comes a little later, or with `flush`.
    public static var entries: [Entry] { tap?.entries ?? [] }
}

extension Log {
    /// Warnings and errors go to standard error, a line each.
    public static let standardError = Log(component: "") { entry in
        guard entry.level >= .warning else { return }
        let component = entry.component.isEmpty ? "" : " [\(entry.component)]"
        let line = "tapline: \(entry.level.name):\(component) \(entry.message)\n"
        // Whoever has closed it does not want to know.
        try? File.standardError.write(line.utf8.span)
    }
}
