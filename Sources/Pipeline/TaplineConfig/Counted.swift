// SPDX-License-Identifier: MIT

/// Counts of things in messages.
package enum Counted {
    /// Returns `1 file` or `2 files`; an irregular plural can be given.
    package static func text(_ number: Int, _ what: String, _ plural: String? = nil) -> String {
        number == 1 ? "1 \(what)" : "\(number) \(plural ?? what + "s")"
    }
}
