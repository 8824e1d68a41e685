// SPDX-License-Identifier: MIT

public import TaplineConfig

/// What a program can do for those who write the scripts of a stage, without running any.
public struct ScriptTools: Sendable {
    /// A file that editors read.
    public struct EditorFile: Sendable, Equatable {
        /// Its path below the folder of the scripts.
        public let path: String
        /// What it holds.
        public let text: String

        /// A file of a path and a text.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The word for the language on the command line: `lua`.
    public let language: String
    /// What tells an editor which names scripts can use.
    public let editorFiles: @Sendable () -> [EditorFile]
    /// Says what is wrong with the text of a script.
    public let check: @Sendable (ConfigSource) -> Diagnostics

    /// The tools of a language.
    public init(
        language: String,
        editorFiles: @escaping @Sendable () -> [EditorFile],
        check: @escaping @Sendable (ConfigSource) -> Diagnostics
    ) {
        self.language = language
        self.editorFiles = editorFiles
        self.check = check
    }
}
