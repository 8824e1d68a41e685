// SPDX-License-Identifier: MIT

/// A visual mark of an exchange: a star, and beside it one colour.
package enum StoreMark: String, CaseIterable, Sendable {
    case star
    case red, orange, yellow, green, blue, purple, gray
}
