// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineSystem

/// `tapline lua init [FOLDER]` and `tapline lua check FILE...`.
struct LuaCommand {
    private let invocation: Invocation
    private let tools: ScriptTools

    static func run(_ invocation: Invocation) async -> ExitCode {
        let tools = invocation.registry.stages.compactMap(\.scripts).first { $0.language == "lua" }
        guard let tools else {
            invocation.console.note("tapline: error: no stage supports Lua scripts")
            return .usage
        }
        let command = LuaCommand(invocation: invocation, tools: tools)
        let paths = Array(invocation.operands.dropFirst())
        switch invocation.operands.first {
        case "init": return command.initialize(paths)
        case "check": return command.check(paths)
        default:
            let action = invocation.operands.first ?? ""
            return command.fail(
                "unknown action '\(action)' of 'lua'; expected \(Self.actions.joined(separator: ", "))",
                help: Suggestion.help(for: action, among: Self.actions)
            )
        }
    }

    static let actions = ["init", "check"]

    private func fail(_ message: String, help: String? = nil) -> ExitCode {
        invocation.console.note("tapline: error: \(message)")
        if let help { invocation.console.note("help: \(help)") }
        return .usage
    }

    // MARK: init

    private func initialize(_ paths: [String]) -> ExitCode {
        guard paths.count <= 1 else {
            return fail("too many arguments for 'lua init'; found '\(paths[1])'")
        }
        let folder = paths.first ?? "."
        let files = tools.editorFiles().map { ("\(folder)/\($0.path)", $0.text) }
        do throws(FileError) {
            for (path, _) in files where !invocation.has("force") {
                guard try FileSystem.status(of: path) == nil else {
                    return fail("'\(path)' already exists", help: "'--force' overwrites it")
                }
            }
            for (path, text) in files {
                let parent = FileSystem.folder(of: path)
                try makeFolders(parent)
                try File(path, for: .replace).write(text.utf8.span)
                invocation.console.print(path)
            }
            return .success
        } catch {
            invocation.console.note("tapline: error: \(error)")
            return .failure
        }
    }

    /// Creates a folder and its missing parents.
    private func makeFolders(_ path: String) throws(FileError) {
        guard try FileSystem.status(of: path) == nil else { return }
        let parent = FileSystem.folder(of: path)
        if parent != path { try makeFolders(parent) }
        try FileSystem.makeFolder(path)
    }

    // MARK: check

    private func check(_ paths: [String]) -> ExitCode {
        guard !paths.isEmpty else {
            return fail("'lua check' needs FILE", help: "tapline lua check FILE...")
        }
        guard !invocation.has("force") else {
            return fail("'--force' belongs to 'lua init'")
        }
        var diagnostics = Diagnostics()
        for path in paths {
            do throws(FileError) {
                let source = ConfigSource(name: path, bytes: try InputFile.read(path))
                diagnostics.append(contentsOf: tools.check(source))
            } catch {
                diagnostics.error(at: nil, "\(error)")
            }
        }
        if !diagnostics.isEmpty { invocation.console.note(diagnostics.rendered) }
        if diagnostics.hasErrors { return .configuration }
        invocation.console.note("ok: \(Counted.text(paths.count, "script"))")
        return .success
    }
}
