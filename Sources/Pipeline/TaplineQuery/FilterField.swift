// SPDX-License-Identifier: MIT

/// A field in a filter, with its position in the text.
package struct FilterField: Sendable, Hashable {
    /// The name, such as `response.header`.
    package let name: String
    /// The UTF-8 offset of the name in the text.
    package let offset: Int
    /// The length of the name in bytes.
    package let length: Int
    /// The earliest moment at which the field is known.
    package let knownAt: FilterMoment
}
