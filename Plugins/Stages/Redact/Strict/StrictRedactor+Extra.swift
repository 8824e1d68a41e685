// SPDX-License-Identifier: MIT

internal import TaplineModel

extension StrictRedactor {
    /// Redacts parts that few exchanges have; unknown words are removed from each text.
    mutating func redactExtra(of exchange: inout Exchange) {
        exchange.extra?.editTexts { text, kind in
            switch kind {
            case .free: text = self.text(text)
            case .version: text = known(ByteString(text)) { $0.words.isValue($1) }.description
            case .name: text = shownName(text)
            }
        }
    }

    /// Returns the name of a field, a tag or a variable as fields show it.
    private mutating func shownName(_ text: String) -> String {
        let name = text.utf8.span
        let isKept = !strict.keep.isEmpty && strict.keep.headers.rule(for: name) != nil
        guard !isKept, !words.isField(name), !isOwnTag(name), !isReplacement(name) else {
            return text
        }
        return String(decoding: self.name(name), as: UTF8.self)
    }
}
