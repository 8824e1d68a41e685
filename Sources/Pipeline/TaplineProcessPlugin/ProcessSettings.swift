// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineModel
package import TaplinePlugin
internal import TaplineSystem

/// The options that the source, the stage and the sink `process` share.
package struct ProcessSettings: Sendable {
    /// The path of the program, and its arguments.
    package var words: [String]
    /// All variables of the child.
    package var environment: [String: String]
    /// The working folder of the child.
    package var folder: String?
    /// The program and those of its arguments that are files in the folder of the configuration.
    package var files: [String] = []
    /// The longest line that the child may write, in bytes.
    package var maxLine: Int
    /// The longest line of its standard error, in bytes.
    package var maxLogLine: Int
    /// How many lines of its standard error are logged in a second.
    package var maxLogRate: Int
    /// How many failures in a row end a source.
    package var maxRestarts: Int
    /// How many bytes of confirmations may wait for a source to read them.
    package var maxConfirmations = 1 << 20
    /// The program that a connection with these settings has started last.
    package let program = StartedProgram()
    /// The limits of the conversation.
    package var limits: (window: Int, waiting: Int, times: Times)

    /// Times in microseconds.
    package struct Times: Sendable {
        /// How long the child may take for an answer.
        package var timeout: Int64
        /// How long the child may take for its hello.
        package var hello: Int64
        /// How long the child may take to end.
        package var stop: Int64
        /// The time before the first restart.
        package var restart: Int64
        /// The longest time before a restart.
        package var maxRestart: Int64
    }

    /// Creates settings for a command, with the defaults of all options.
    package init(
        _ words: [String],
        environment: [String: String] = [:],
        timeout: Int64 = 5_000_000
    ) {
        self.words = words
        self.environment = environment
        folder = nil
        maxLine = 32 << 20
        maxLogLine = 1024
        maxLogRate = 20
        maxRestarts = 5
        limits = (
            256, 8192,
            Times(
                timeout: timeout,
                hello: 5_000_000,
                stop: 2_000_000,
                restart: 100_000,
                maxRestart: 10_000_000
            )
        )
    }

    /// The longest time that the thread waits for a child, in microseconds: the deadline of a call that
    /// is made meanwhile is later.
    var longestSleep: Int64 { max(limits.times.timeout, 100_000) }

    func machineLimits<Call>(for: Call.Type) -> ProcessPluginStateMachine<Call>.Limits {
        var limits = ProcessPluginStateMachine<Call>.Limits()
        limits.window = self.limits.window
        limits.maxWaiting = self.limits.waiting
        limits.timeout = self.limits.times.timeout
        limits.helloTimeout = self.limits.times.hello
        limits.stopTimeout = self.limits.times.stop
        limits.restartDelay = self.limits.times.restart
        limits.maxRestartDelay = self.limits.times.maxRestart
        return limits
    }
}

/// The declarations of the options that the source, the stage and the sink `process` share.
package enum ProcessKeys {
    /// The program and its arguments.
    package static let command = ConfigKey(
        "command",
        OptionType<[String]>.list(of: .text, allowsEmpty: false).located,
        summary: "The program and its arguments. No shell is involved; a program with a slash is "
            + "relative to the file's folder.",
        example: "[python3, redact.py, --strict]"
    )
    private static let variables = ConfigKey(
        "env",
        OptionType<[ConfigEntry<String>]>.map(of: .text),
        default: [],
        summary: "Variables of the child, beside PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TZ "
            + "and TMPDIR; it inherits no others.",
        example: "{ MODE: strict }"
    )
    private static let folder = ConfigKey(
        "folder",
        OptionType<String>.path.optional,
        default: nil,
        summary: "The working folder of the child; the file's own by default.",
        example: "plugins"
    )
    private static let window = ConfigKey(
        "window",
        .integer(in: 1...65_536),
        default: 256,
        summary: "How many calls are sent before the first one is answered."
    )
    private static let maxWaiting = ConfigKey(
        "max_waiting",
        .integer(in: 1...1_000_000),
        default: 8192,
        summary: "How many further calls of live sources wait; beyond, they fail. Recordings wait."
    )
    private static let timeout = ConfigKey(
        "timeout",
        .duration,
        default: .seconds(5),
        summary: "How long the child may take for an answer, and for its hello.",
        example: "500ms"
    )
    private static let stopTimeout = ConfigKey(
        "stop_timeout",
        .duration,
        default: .seconds(2),
        summary: "How long the child may take to end before it is killed."
    )
    private static let initial = ConfigKey(
        "initial",
        .duration,
        default: .milliseconds(100),
        summary: "The time before the first restart; it doubles until an answer comes."
    )
    private static let maxInterval = ConfigKey(
        "max_interval",
        .duration,
        default: .seconds(10),
        summary: "The longest time before a restart."
    )
    private static let max = ConfigKey(
        "max",
        .integer(in: 0...1_000_000),
        default: 5,
        summary: "How many restarts in a row without a record end a source."
    )
    private static let restart = ConfigKey(
        "restart",
        OptionType<Options>.object(OptionSchema(initial, maxInterval, max)).optional,
        default: nil,
        summary: "When a child that has ended is started again.",
        example: "{ initial: 1s }"
    )
    private static let maxLine = ConfigKey(
        "max_line",
        .byteSize,
        default: 32 << 20,
        summary: "The longest line that the child may write."
    )
    private static let maxLogLine = ConfigKey(
        "max_log_line",
        .byteSize,
        default: 1024,
        summary: "The longest line of the child's standard error that is logged."
    )
    private static let maxLogRate = ConfigKey(
        "max_log_rate",
        .integer(in: 0...100_000),
        default: 20,
        summary: "How many lines of the child's standard error are logged in a second."
    )

    /// The shared options, then those of one kind.
    package static func schema(_ own: any ConfigKeyDeclaration...) -> OptionSchema {
        let shared: [any ConfigKeyDeclaration] = [
            command, variables, folder, window, maxWaiting, timeout, stopTimeout, restart, maxLine,
            maxLogLine, maxLogRate,
        ]
        return OptionSchema((shared.prefix(1) + own + shared.dropFirst()).map(\.erased))
    }

    /// The variables that a child inherits.
    private static let inherited: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR",
    ]

    /// Reads the options; adds what is wrong to the diagnostics.
    package static func read(_ options: Options, _ context: inout BuildContext) -> ProcessSettings?
    {
        let wanted = options[command]
        guard var name = wanted.value.first else { return nil }
        if name.contains("/"), !name.hasPrefix("/") { name = path(of: name, in: context.folder) }
        let found = ChildProcess.find(name, in: context.environment["PATH"])
        guard let program = found ?? (context.isForOtherProgram ? name : nil) else {
            let isThere = ChildProcess.isAnywhere(name, in: context.environment["PATH"])
            context.diagnostics.error(
                at: wanted.location,
                isThere ? "'\(name)' is not executable" : "there is no program '\(name)'",
                help: isThere ? "make it executable: chmod +x '\(name)'" : nil
            )
            return nil
        }
        var settings = ProcessSettings([program] + wanted.value.dropFirst())
        settings.environment = context.environment.variables.filter {
            inherited.contains($0.key) || $0.key.hasPrefix("LC_")
        }
        for entry in options[variables] { settings.environment[entry.key] = entry.value }
        settings.folder = options[folder] ?? context.folder
        settings.files = files(of: settings, in: context.folder)
        settings.maxLine = Swift.max(options[maxLine], 1024)
        settings.maxLogLine = Swift.max(options[maxLogLine], 16)
        settings.maxLogRate = options[maxLogRate]
        let timeout = limited(options[timeout])
        let again = options[restart] ?? Options(OptionSchema(initial, maxInterval, max))
        settings.maxRestarts = again[max]
        settings.limits = (
            options[window], options[maxWaiting],
            ProcessSettings.Times(
                timeout: timeout,
                hello: Swift.max(timeout, 1_000_000),
                stop: limited(options[stopTimeout]),
                restart: limited(again[initial]),
                maxRestart: limited(again[maxInterval])
            )
        )
        return settings
    }

    /// The absolute path of a program, since the child is started in another folder.
    private static func path(of name: String, in folder: String) -> String {
        let name = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
        return FileSystem.absolute(folder == "." ? name : "\(folder)/\(name)")
    }

    /// The largest file that counts as a part of the program.
    private static let maxFile = 16 << 20

    /// Returns the words of a command that are files in the folder of the configuration, such as a
    /// script, so that a change of one is a change of the configuration.
    private static func files(of settings: ProcessSettings, in folder: String) -> [String] {
        guard let own = FileSystem.resolved(folder) else { return [] }
        let prefix = own.hasSuffix("/") ? own : "\(own)/"
        let start = settings.folder ?? folder
        let paths = settings.words.map { $0.hasPrefix("/") ? $0 : "\(start)/\($0)" }
        return paths.filter { path in
            guard let status = try? FileSystem.status(of: path), status.kind == .regular,
                status.size <= maxFile
            else { return false }
            return FileSystem.resolved(path)?.hasPrefix(prefix) ?? false
        }
    }

    /// A duration in microseconds, from a millisecond to a year, so that times cannot overflow.
    private static func limited(_ duration: Duration) -> Int64 {
        min(Swift.max(Microseconds(duration).count, 1000), 365 * 86_400_000_000)
    }
}
