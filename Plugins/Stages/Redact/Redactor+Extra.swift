// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// Redacts what few exchanges have: what people noted, names of what was changed, gRPC.
    mutating func redactExtra(of exchange: inout Exchange) {
        exchange.extra?.editTexts { text, _ in text = redactedText(text) }
    }
}
