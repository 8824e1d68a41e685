// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// Redacts parts that few exchanges have: user notes, names of what was changed, gRPC.
    mutating func redactExtra(of exchange: inout Exchange) {
        exchange.extra?.editTexts { text, _ in text = redactedText(text) }
    }
}
