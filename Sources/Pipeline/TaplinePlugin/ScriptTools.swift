// SPDX-License-Identifier: MIT

package import TaplineConfig

/// Tools for authors of a stage's scripts, which run no script.
package struct ScriptTools: Sendable {
    /// A file that editors read.
    package struct EditorFile: Sendable, Equatable {
        /// Its path, relative to the folder of the scripts.
        package let path: String
        /// Its content.
        package let text: String

        /// Creates a file.
        package init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The name of the language on the command line: `lua`.
    package let language: String
    /// Returns the files that describe to an editor which names scripts can use.
    package let editorFiles: @Sendable () -> [EditorFile]
    /// Checks the text of a script and returns the problems.
    package let check: @Sendable (ConfigSource) -> Diagnostics

    /// Creates the tools of a language.
    package init(
        language: String,
        editorFiles: @escaping @Sendable () -> [EditorFile],
        check: @escaping @Sendable (ConfigSource) -> Diagnostics
    ) {
        self.language = language
        self.editorFiles = editorFiles
        self.check = check
    }
}
