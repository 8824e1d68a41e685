// SPDX-License-Identifier: MIT

/// Why a script could not be loaded, or a call of one of its hooks failed.
///
/// `description` holds nothing that a script computed; `debugDescription` may hold anything.
public struct ScriptError: Error, Sendable, Equatable {
    /// The kinds of failure.
    public struct Code: Sendable, Hashable {
        let name: String

        /// The script is not Lua.
        public static let syntax = Code(name: "syntax")
        /// An operation failed: a call of nothing, a wrong argument, an unknown field.
        public static let fault = Code(name: "fault")
        /// The script raised an error itself.
        public static let raised = Code(name: "raised")
        /// The call used too many instructions.
        public static let instructions = Code(name: "instructions")
        /// The call took too long.
        public static let time = Code(name: "time")
        /// The script held too much memory.
        public static let memory = Code(name: "memory")
        /// A table got too many entries.
        public static let table = Code(name: "table")
        /// No Lua state could be made.
        public static let state = Code(name: "state")

        /// Whether a limit was hit.
        public var isLimit: Bool {
            self == .instructions || self == .time || self == .memory || self == .table
        }
    }

    /// What kind of failure it is.
    public let code: Code
    /// The file of the script.
    public let script: String
    /// The line in that file, where it is known.
    public let line: Int?
    /// The hook that was called; nothing while the script itself ran.
    public let hook: String?
    /// What is wrong, without anything that a script computed.
    public let message: String
    /// What to do about it, where something can be done.
    public let help: String?
    /// The error's own text, which may hold anything.
    let detail: String
}

extension ScriptError: CustomStringConvertible, CustomDebugStringConvertible {
    private var position: String { line.map { "\(script):\($0)" } ?? script }

    /// Script, line, what is wrong, the hook, and what to do.
    public var description: String {
        // What was expected instead stands after a semicolon.
        let end = message.firstRange(of: "; ")?.lowerBound ?? message.endIndex
        let text = "\(position): \(message[..<end])\(ending(of: message[..<end]))\(message[end...])"
        return help.map { "\(text); \($0)" } ?? text
    }

    /// The hook, unless a sentence names it already.
    private func ending(of sentence: Substring) -> String {
        guard let name = hook.map({ "hook '\($0)'" }), !sentence.contains(name) else { return "" }
        return " in \(name)"
    }

    /// The same with the error's own text.
    public var debugDescription: String {
        detail.isEmpty || detail == message ? description : "\(description): \(detail)"
    }
}
