// SPDX-License-Identifier: MIT

public import TaplineConfig

/// Tools for authors of a stage's scripts, which run no script.
public struct ScriptTools: Sendable {
    /// A file that editors read.
    public struct EditorFile: Sendable, Equatable {
        /// Its path, relative to the folder of the scripts.
        public let path: String
        /// Its content.
        public let text: String

        /// Creates a file.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The name of the language on the command line: `lua`.
    public let language: String
    /// Returns the files that describe to an editor which names scripts can use.
    public let editorFiles: @Sendable () -> [EditorFile]
    /// Checks the text of a script and returns the problems.
    public let check: @Sendable (ConfigSource) -> Diagnostics

    /// Creates the tools of a language.
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
