// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplineStore

/// `tapline index STORE...`.
enum IndexCommand {
    /// What is done with each index.
    private enum Action {
        case show
        case drop
        /// Builds or continues it.
        case build(TextIndexKind?)
    }

    static func run(_ invocation: Invocation) async -> ExitCode {
        StoreSet.prepareProgram()
        return invocation.reportErrors {
            let action = try action(of: invocation)
            for name in invocation.operands {
                let paths = try StoreFiles.resolve(name)
                for path in paths.isEmpty ? [name] : paths {
                    let code = try run(action, path, invocation.console)
                    if code != .success { return code }
                }
            }
            return .success
        }
    }

    private static func action(of invocation: Invocation) throws(UsageError) -> Action {
        let kinds = TextIndexKind.allCases.filter { invocation.has($0.rawValue) }
        if kinds.count > 1 {
            throw UsageError(message: "'--trigrams' and '--words' exclude each other")
        }
        if invocation.has("drop") {
            if let other = (["bodies"] + kinds.map(\.rawValue)).first(where: invocation.has) {
                throw UsageError(message: "'--drop' and '--\(other)' exclude each other")
            }
            return .drop
        }
        if invocation.has("bodies") { return .build(kinds.first) }
        if let kind = kinds.first {
            throw UsageError(
                message: "'--\(kind.rawValue)' needs '--bodies'",
                help: "tapline index STORE --bodies --\(kind.rawValue)"
            )
        }
        return .show
    }

    private static func run(
        _ action: Action,
        _ path: String,
        _ console: Console
    ) throws -> ExitCode {
        switch action {
        case .show:
            console.print("\(path): \(text(of: try TextIndex.status(path)))")
        case .drop:
            let was = try TextIndex.drop(path)
            console.print("\(path): \(was ? "the index was removed" : "there is no index")")
        case .build(let kind):
            let watch = QueryWatch(console, verb: "indexed")
            do {
                defer { watch.end() }
                try TextIndex.build(path, kind, progress: watch.progress)
            } catch is QueryCancelled {
                watch.noteInterrupt("the same command continues")
                return .interrupted
            }
            console.print("\(path): \(text(of: try TextIndex.status(path)))")
        }
        return .success
    }

    /// Describes an index.
    private static func text(of status: TextIndex.Status?) -> String {
        guard let status else { return "there is no index" }
        let size = "\(Quantities.size(status.bytes)) in \(status.path)"
        let kind = status.kind.map { "index of \($0.rawValue)" } ?? "index"
        let help = status.condition == .valid ? "" : ": build it again with --bodies"
        return "\(kind), \(size), \(condition(of: status))\(help)"
    }

    /// Describes whether queries can use an index.
    static func condition(of status: TextIndex.Status) -> String {
        switch status.condition {
        case .valid where status.missing == 0: "covers all exchanges"
        case .valid: "does not cover the newest \(Counted.text(status.missing, "exchange"))"
        case .outOfDate: "is out of date"
        case .damaged: "is damaged"
        }
    }
}
