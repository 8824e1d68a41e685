// SPDX-License-Identifier: MIT

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
/// start, `TAPLINE_CONFIG=FILE` names the file in the place of whatever the app says.
///
/// **Isolation**: any thread; what runs already is not started again.
public enum Tapline {
    private static let current = Mutex<Tap?>(nil)

    /// The tap that runs, or ran last.
    public static var tap: Tap? { current.withLock { $0 } }

    /// Captures what the app sends through URLSession.shared and tapped sessions: the last 100
    /// exchanges, in memory, bodies up to 1 MiB.
    public static func start() throws {
        try start(Tap(capturesShared: true, log: .standardError))
    }

    /// Captures as a YAML file describes it.
    public static func start(
        configuration: URL,
        plugins: PluginRegistry = PluginRegistry()
    ) throws {
        try start(Tap(configuration: configuration, plugins: plugins, log: .standardError))
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
        try current.withLock { current in
            let variables = ProcessEnvironment.variables
            if current?.isRunning == true || variables["TAPLINE"] == "off" { return }
            let file = variables["TAPLINE_CONFIG"].map { URL(fileURLWithPath: $0) }
            let tap = file.map { Tap(configuration: $0, log: .standardError) } ?? tap()
            try tap.start(forApp: true)
            current = tap
        }
    }

    /// Captures nothing from now on; what was captured can still be read.
    public static func stop() { tap?.stop() }

    /// Forgets the entries.
    public static func clear() { tap?.clear() }

    /// Whether it captures.
    public static var isRunning: Bool { tap?.isRunning ?? false }

    /// What was captured last, newest first.
    public static var entries: [Entry] { tap?.entries ?? [] }
}

extension Log {
    /// Warnings and errors go to standard error, a line each.
    public static let standardError = Log(component: "") { entry in
        guard entry.level >= .warning else { return }
        let component = entry.component.isEmpty ? "" : " [\(entry.component)]"
        let line = "tapline: \(entry.level.name):\(component) \(entry.message)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
