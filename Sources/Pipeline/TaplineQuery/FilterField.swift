// SPDX-License-Identifier: MIT

/// A field in a filter, with its position in the text.
public struct FilterField: Sendable, Hashable {
    /// The name, such as `response.header`.
    public let name: String
    /// The UTF-8 offset of the name in the text.
    public let offset: Int
    /// The length of the name in bytes.
    public let length: Int
    /// The earliest moment at which the field is known.
    public let knownAt: FilterMoment
}
