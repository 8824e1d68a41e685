// SPDX-License-Identifier: MIT

internal import Dispatch
public import Foundation
internal import Synchronization
public import TaplinePlugin
internal import TaplineSystem

/// Capture for the whole app: one call starts it, one call stops it.
///
/// ```swift
/// try Tapline.start()
/// ```
/// Two environment variables override the app without a change to it: `TAPLINE=off` prevents any
/// start, and `TAPLINE_CONFIG=FILE` names the file to use instead of the app's configuration. If
/// that file is wrong, the error is logged and the app continues without capture.
///
/// Each `start` returns whether it has started the capture: `false` if a tap is already running,
/// which continues unchanged, or if a variable prevents it. A start with a configuration also logs a
/// warning in the first case.
///
/// **Isolation**: any thread.
public enum Tapline {
    private struct State {
        var tap: Tap?
        var starting: PendingStart?
    }

    /// A tap that is about to run.
    private struct PendingStart {
        let tap: Tap
        /// Left when the start has succeeded or failed.
        let done = DispatchGroup()
    }

    private static let state = Mutex(State())

    /// The tap that is running or was the last one to run.
    public static var tap: Tap? { state.withLock { $0.tap } }

    /// Captures what the app sends through URLSession.shared and tapped sessions: the last 100
    /// exchanges, in memory, with bodies up to 1 MiB.
    @discardableResult
    public static func start() throws -> Bool {
        try start(PluginRegistry(), saysHow: false) {
            Tap(capturesShared: true, log: .standardError)
        }
    }

    /// Captures with the configuration of a YAML file, and with plugins in addition to the built-in
    /// ones, such as those of `TaplineDetectors`.
    @discardableResult
    public static func start(
        configuration: URL,
        plugins: PluginRegistry = PluginRegistry()
    ) throws -> Bool {
        try start(plugins) {
            Tap(configuration: configuration, plugins: plugins, log: .standardError)
        }
    }

    /// Captures with components that are built in code, and with plugins in addition to the
    /// built-in ones, such as those of `TaplineDetectors`.
    ///
    /// ```swift
    /// try Tapline.start {
    ///     Component.redact(json: ["password"])
    ///     Component.terminal
    /// }
    /// ```
    @discardableResult
    public static func start(
        plugins: PluginRegistry = PluginRegistry(),
        @ComponentBuilder components: () -> [Component]
    ) throws -> Bool {
        try start(plugins) {
            Tap(
                capturesShared: true,
                plugins: plugins,
                log: .standardError,
                components: components
            )
        }
    }

    /// Starts a tap for the whole app, unless one is running.
    @discardableResult
    public static func start(_ tap: @autoclosure () -> Tap) throws -> Bool {
        try start(PluginRegistry(), tap)
    }

    private static func start(
        _ plugins: PluginRegistry,
        saysHow: Bool = true,
        _ tap: () -> Tap
    ) throws -> Bool {
        let variables = ProcessEnvironment.variables
        if isOff(variables["TAPLINE"]) { return false }
        if isRunning {
            let text =
                "Tapline is already running; call stop() first so that this start takes effect"
            if saysHow { Log.standardError.warning(text) }
            return false
        }
        guard let file = variables["TAPLINE_CONFIG"], !file.isEmpty else { return try run(tap()) }
        let url = URL(fileURLWithPath: file)
        do {
            return try run(Tap(configuration: url, plugins: plugins, log: .standardError))
        } catch {
            // The app did not request this file, and continues without it.
            Log.standardError.error("TAPLINE_CONFIG: nothing is captured: \(error)")
            return false
        }
    }

    /// Applies the configuration of the running tap again, such as a file that was changed.
    ///
    /// Everything new is opened first. Unchanged components continue, and requests under way end
    /// with the stages that they began with. If the variable `TAPLINE_CONFIG` names a file, each
    /// `reload` reads that file instead of the app's configuration; if the file is wrong, the error
    /// is logged.
    ///
    /// - Returns: What has changed; `nil` if no tap is running, or the file of the variable is
    ///   wrong.
    /// - Throws: `TapError` with the mistakes in the configuration, with a component that did not
    ///   start, or with a change that needs a restart, such as one of the source; nothing has
    ///   changed then.
    @discardableResult
    public static func reload() async throws -> TapReload? {
        try await reload { try await $0.reload() }
    }

    /// Replaces the configuration of the running tap by that of a YAML file, like `reload()`.
    @discardableResult
    public static func reload(
        configuration: URL,
        plugins: PluginRegistry = PluginRegistry()
    ) async throws -> TapReload? {
        try await reload {
            try await $0.reload(configuration: configuration, plugins: plugins)
        }
    }

    /// Replaces the configuration of the running tap by components, like `reload()`.
    @discardableResult
    public static func reload(
        plugins: PluginRegistry = PluginRegistry(),
        @ComponentBuilder components: () -> [Component]
    ) async throws -> TapReload? {
        try await reload { try await $0.reload(plugins: plugins, components: components) }
    }

    private static func reload(
        _ apply: (Tap) async throws -> TapReload?
    ) async throws -> TapReload? {
        guard let tap, tap.isRunning else { return nil }
        let file = ProcessEnvironment.variables["TAPLINE_CONFIG"] ?? ""
        if file.isEmpty { return try await apply(tap) }
        do {
            return try await tap.reload()
        } catch {
            // The app did not request this file, and continues as before.
            Log.standardError.error("TAPLINE_CONFIG: nothing was changed: \(error)")
            return nil
        }
    }

    /// Starts a tap, unless one is running; calls during a start wait for it.
    ///
    /// - Returns: Whether it was started.
    private static func run(_ tap: Tap) throws -> Bool {
        let own = PendingStart(tap: tap)
        own.done.enter()
        defer { own.done.leave() }
        while true {
            let other = state.withLock { state -> PendingStart? in
                if state.tap?.isRunning == true { return nil }
                if let starting = state.starting { return starting }
                state.starting = own
                return own
            }
            guard let other else { return false }
            if other.done === own.done { break }
            // The start may be waiting for the log of that tap.
            if other.tap.isWaitedFor { return false }
            other.done.wait()
        }
        defer { state.withLock { $0.starting = nil } }
        try tap.start(for: .app)
        state.withLock { $0.tap = tap }
        return true
    }

    /// Whether the variable `TAPLINE` prevents a start.
    private static func isOff(_ value: String?) -> Bool {
        ["off", "0", "no", "false"].contains(value?.lowercased())
    }

    /// Stops capturing; captured exchanges can still be read.
    public static func stop() { state.withLock { $0.starting?.tap ?? $0.tap }?.stop() }

    /// Removes the entries.
    public static func clear() { tap?.clear() }

    /// Waits until everything that has ended is in the entries and written by the sinks.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether that is the case; `true` if no tap is running.
    @discardableResult
    public static func flush(for limit: Duration = .seconds(10)) -> Bool {
        tap?.flush(for: limit) ?? true
    }

    /// Waits like the other `flush`, without blocking the thread.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether everything is written; `true` if no tap is running.
    @discardableResult
    public static func flush(for limit: Duration = .seconds(10)) async -> Bool {
        await tap?.flush(for: limit) ?? true
    }

    /// Whether the app is captured.
    public static var isRunning: Bool { tap?.isRunning ?? false }

    /// The counters of the components of the running tap, or of the last one to run.
    public static var metrics: TapMetrics { tap?.metrics ?? TapMetrics(nil) }

    /// The latest exchanges, newest first; an exchange that has just ended appears a little later,
    /// or after `flush`.
    public static var entries: [Entry] { tap?.entries ?? [] }
}

extension Log {
    /// Writes warnings and errors to standard error, one on each line.
    public static let standardError = Log(component: "") { entry in
        guard entry.level >= .warning else { return }
        let component = entry.component.isEmpty ? "" : " [\(entry.component)]"
        let line = "tapline: \(entry.level.name):\(component) \(entry.message)\n"
        // Standard error may be closed, in which case the message is not needed.
        try? File.standardError.write(line.utf8.span)
    }
}
