// SPDX-License-Identifier: MIT

/// A text that is not YAML, in libyaml's words.
///
/// The words come from a fixed list inside libyaml and never contain parts of the text.
public struct YAMLError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, such as `mapping values are not allowed in this context`.
    public var problem: String
    /// What was being read, such as `while parsing a block mapping`; may be empty.
    public var context: String
    /// Where the problem was seen; absent when only ``byteOffset`` is known.
    public var mark: YAMLMark?
    /// Where the thing that was being read began.
    public var contextMark: YAMLMark?
    /// The byte at fault, for problems below the level of characters.
    public var byteOffset: Int?

    /// Both texts in one line.
    public var description: String {
        context.isEmpty ? problem : "\(problem) \(context)"
    }
}
