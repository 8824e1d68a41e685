// SPDX-License-Identifier: MIT

internal import TaplineModel

extension StrictRedactor {
    /// Redacts what few exchanges have: each text loses the words that are not known.
    mutating func redactExtra(of exchange: inout Exchange) {
        exchange.extra?.editTexts { text, kind in
            switch kind {
            case .free: text = self.text(text)
            case .version: text = known(ByteString(text)) { $0.words.isValue($1) }.description
            }
        }
    }
}
