// SPDX-License-Identifier: MIT

/// A field as a filter names it, and where in the text it does so.
public struct FilterField: Sendable, Hashable {
    /// The name, such as `response.header`.
    public let name: String
    /// Where the name begins in the text's UTF-8.
    public let offset: Int
    /// The length of the name in bytes.
    public let length: Int
    /// When the field can be known, at the earliest.
    public let knownAt: FilterMoment
}
