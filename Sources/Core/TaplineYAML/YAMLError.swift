// SPDX-License-Identifier: MIT

/// An error in a text that is not YAML, as reported by libyaml.
///
/// The messages come from a fixed list in libyaml and never contain parts of the text.
package struct YAMLError: Error, Sendable, CustomStringConvertible {
    /// The problem, such as `mapping values are not allowed in this context`.
    package var problem: String
    /// The construct being parsed, such as `while parsing a block mapping`; may be empty.
    package var context: String
    /// The position of the problem; `nil` if only ``byteOffset`` is known.
    package var mark: YAMLMark?
    /// The position at which the construct being parsed began.
    package var contextMark: YAMLMark?
    /// The offset of the offending byte, for encoding errors.
    package var byteOffset: Int?

    /// Both messages on one line.
    package var description: String {
        context.isEmpty ? problem : "\(problem) \(context)"
    }
}
