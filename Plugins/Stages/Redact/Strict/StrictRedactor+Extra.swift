// SPDX-License-Identifier: MIT

internal import TaplineModel

extension StrictRedactor {
    /// Redacts parts that few exchanges have; unknown words are removed from each text.
    mutating func redactExtra(of exchange: inout Exchange) {
        exchange.extra?.editTexts { text, kind in
            switch kind {
            case .free: text = self.text(text)
            case .version: text = known(ByteString(text)) { $0.words.isValue($1) }.description
            }
        }
    }
}
