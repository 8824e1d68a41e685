// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

extension EditList {
    /// Converts edits of an unescaped text to edits of the escaped text.
    ///
    /// - Parameters:
    ///   - source: The text, whose characters are escaped one by one.
    ///   - form: How they are escaped.
    ///   - offset: Where the text begins; added to all positions.
    /// - Returns: The edits, in order.
    func lifted(to source: Span<UInt8>, _ form: EmbeddedForm, offset: Int) -> EditList {
        var outer = EditList()
        guard var map = EscapeMap(form) else { return outer }
        var written: [UInt8] = []
        forEach { range, replacement, rule in
            let part = map.source(of: range, in: source)
            written.removeAll(keepingCapacity: true)
            form.encode(replacement, replacing: source.extracting(part), appendingTo: &written)
            let place = offset + part.lowerBound..<offset + part.upperBound
            outer.add(place, written.span, rule)
        }
        outer.addOthers(of: self)
        return outer
    }
}
