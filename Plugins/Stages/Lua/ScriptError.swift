// SPDX-License-Identifier: MIT

/// Why a script could not be loaded, or a call of one of its hooks failed.
///
/// `description` contains nothing that a script computed; `debugDescription` may contain anything.
package struct ScriptError: Error, Sendable, Equatable {
    /// The kinds of failure.
    package struct Code: Sendable, Hashable {
        let name: String

        /// The script is not Lua.
        package static let syntax = Code(name: "syntax")
        /// An operation failed: a call of nil, a wrong argument, an unknown field.
        package static let fault = Code(name: "fault")
        /// The script raised an error itself.
        package static let raised = Code(name: "raised")
        /// The call used too many instructions.
        package static let instructions = Code(name: "instructions")
        /// The call took too long.
        package static let time = Code(name: "time")
        /// The script used too much memory.
        package static let memory = Code(name: "memory")
        /// A table got too many entries.
        package static let table = Code(name: "table")
        /// No Lua state could be created.
        package static let state = Code(name: "state")

        /// Whether a limit was hit.
        package var isLimit: Bool {
            self == .instructions || self == .time || self == .memory || self == .table
        }
    }

    /// The kind of failure.
    package let code: Code
    /// The file of the script.
    package let script: String
    /// The line in that file, if known.
    package let line: Int?
    /// The hook that was called; `nil` if the script itself was running.
    package let hook: String?
    /// The problem, without anything that a script computed.
    package let message: String
    /// How to fix it, if that is known.
    package let help: String?
    /// The error's own text, which may contain anything.
    let detail: String
}

extension ScriptError: CustomStringConvertible, CustomDebugStringConvertible {
    private var position: String { line.map { "\(script):\($0)" } ?? script }

    /// Script, line, problem, hook and help.
    package var description: String {
        // The part after a semicolon states what was expected.
        let end = message.firstRange(of: "; ")?.lowerBound ?? message.endIndex
        let text = "\(position): \(message[..<end])\(ending(of: message[..<end]))\(message[end...])"
        return help.map { "\(text); \($0)" } ?? text
    }

    /// The hook as a suffix, unless a sentence already names it.
    private func ending(of sentence: Substring) -> String {
        guard let name = hook.map({ "hook '\($0)'" }), !sentence.contains(name) else { return "" }
        return " in \(name)"
    }

    /// The description with the error's own text.
    package var debugDescription: String {
        detail.isEmpty || detail == message ? description : "\(description): \(detail)"
    }
}
