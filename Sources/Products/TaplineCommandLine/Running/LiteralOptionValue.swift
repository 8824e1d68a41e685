// SPDX-License-Identifier: MIT

extension String {
    /// The value of an option that is exactly this text: no `${NAME}` in it is replaced.
    ///
    /// For options without `interpolates: false` that a command sets to what it was given.
    package var literalOptionValue: String { replacing("$", with: "$$") }
}
