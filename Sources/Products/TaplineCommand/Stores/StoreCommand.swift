// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplineStore

/// `tapline store ACTION STORE...`.
enum StoreCommand {
    /// What the command does with stores.
    struct Action: Sendable {
        let name: String
        /// The options that it has.
        var options: [String] = []
        /// Runs it.
        let run: @Sendable (Invocation) throws -> ExitCode
    }

    /// All actions, in the order of the help.
    static let actions = [
        Action(name: "info", options: ["format", "hosts"], run: StoreInfoAction.run),
        Action(name: "verify", run: verify),
        Action(name: "compact", run: compact),
        Action(name: "prune", options: ["count", "age", "bytes", "yes"], run: StorePrune.run),
        Action(name: "merge", options: ["out"], run: StoreMerge.run),
        Action(name: "split", options: ["every", "out"], run: StoreSplit.run),
    ]

    static func run(_ invocation: Invocation) async -> ExitCode {
        StoreSet.prepareProgram()
        return invocation.reportErrors {
            let name = invocation.operands.first ?? ""
            guard let action = actions.first(where: { $0.name == name }) else {
                let names = actions.map(\.name)
                throw UsageError(
                    message: "unknown action '\(name)'; expected "
                        + names.joined(separator: ", "),
                    help: Suggestion.help(for: name, among: names)
                )
            }
            let others = invocation.options.keys.filter { !action.options.contains($0) }
            if let other = others.min() {
                throw UsageError(message: "'--\(other)' has no effect on 'store \(name)'")
            }
            return try action.run(invocation)
        }
    }

    /// The only store of an action.
    static func path(_ invocation: Invocation) throws(UsageError) -> String {
        guard invocation.operands.count == 2, let path = invocation.operands.last else {
            let name = invocation.operands.first ?? ""
            throw UsageError(message: "'store \(name)' needs one STORE")
        }
        return path
    }

    /// The stores that the command line names.
    static func names(_ invocation: Invocation) -> [String] {
        Array(invocation.operands.dropFirst())
    }

    /// The files of stores that are to be changed.
    static func files(_ names: [String]) throws -> [String] {
        var paths: [String] = []
        for name in names {
            guard name != "-" else {
                throw UsageError(message: "'-' cannot be changed; give the path of a file")
            }
            let found = try StoreFiles.resolve(name)
            guard !found.isEmpty else { throw UsageError(message: "there is no store '\(name)'") }
            paths += found
        }
        return paths
    }

    // MARK: Care

    private static func verify(_ invocation: Invocation) throws -> ExitCode {
        let console = invocation.console
        let path = try Self.path(invocation)
        let result = try StoreCare(path).verify { console.print($0) }
        StoreLeftovers.warn(of: path, on: console)
        var checked = [
            Counted.text(result.exchanges, "exchange"),
            Counted.text(result.bodies, "body", "bodies"),
        ]
        var last = Counted.text(result.files, "body file")
        switch result.textIndex {
        case nil: break
        case .valid?, .damaged?:
            checked.append(last)
            last = "the full-text index"
        case .outOfDate?:
            console.note(
                "the full-text index is out of date; 'tapline index \(path) --bodies' builds it "
                    + "again"
            )
        }
        console.note(
            "checked \(checked.joined(separator: ", ")) and \(last): "
                + (result.problems == 0
                    ? "no problems" : Counted.text(result.problems, "problem"))
        )
        return result.problems == 0 ? .success : .failure
    }

    private static func compact(_ invocation: Invocation) throws -> ExitCode {
        let console = invocation.console
        let path = try Self.path(invocation)
        let result = try StoreEditor(path).compact()
        console.note(
            "compacted from \(Quantities.size(result.before)) to \(Quantities.size(result.after))"
        )
        if !result.isLogEmpty {
            console.note(
                "warning: another process reads the database, so its log could not be emptied"
            )
        }
        if let index = try? TextIndex.status(path) {
            console.note(
                "the full-text index (\(Quantities.size(index.bytes))) was not changed; it "
                    + IndexCommand.condition(of: index)
            )
        }
        return .success
    }
}
