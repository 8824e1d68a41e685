// SPDX-License-Identifier: MIT

package import TaplineModel

/// What a record states about redaction.
package enum ExportRedaction {
    /// The tag with which the stage `redact` lists the rules that changed an exchange.
    private static let tag = "tapline.redacted"

    /// Whether the stage `redact` changed something in an exchange.
    ///
    /// An exchange without findings has no mark, so this can only be judged for many exchanges.
    package static func hasChanged(_ exchange: Exchange) -> Bool { exchange.tags[tag] != nil }
}
