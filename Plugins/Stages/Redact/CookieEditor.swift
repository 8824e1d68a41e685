// SPDX-License-Identifier: MIT

internal import TaplineModel

extension RuleSet {
    /// Edits the value of Cookie: pairs separated by semicolons (RFC 6265 §4.2.1).
    func editCookies(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        var remover = ListItemRemover()
        var start = range.lowerBound
        while start < range.upperBound {
            let pair = CookiePair(bytes, start..<range.upperBound, separator: .ascii(";"))
            let next = pair.end < range.upperBound ? pair.end + 1 : range.upperBound
            edit(bytes, pair, start: start, next: next, in: range, &remover, &edits)
            start = next
        }
    }

    private func edit(
        _ bytes: Span<UInt8>,
        _ pair: CookiePair,
        start: Int,
        next: Int,
        in range: Range<Int>,
        _ remover: inout ListItemRemover,
        _ edits: inout EditList
    ) {
        let isLast = next == range.upperBound
        guard !(pair.name.isEmpty && pair.value.isEmpty),
            let rule = cookies.rule(for: bytes.extracting(pair.name))
        else {
            remover.keep(until: pair.end)
            return
        }
        guard rule.action == .remove else {
            replace(bytes, pair.value, rule, .plain, &edits)
            remover.keep(until: pair.end)
            return
        }
        let first = pair.name.isEmpty ? pair.value.lowerBound : pair.name.lowerBound
        var following = next
        while following < range.upperBound, bytes[following].isBlank { following += 1 }
        remover.remove(first..<pair.end, next: isLast ? nil : following, rule, &edits)
    }

    /// Edits the value of Set-Cookie; attributes stay.
    ///
    /// Recordings join several such fields with line feeds or commas. A comma begins another cookie
    /// if a name and `=` follow it, which is not the case in the dates of `Expires`. Returns
    /// whether the whole field is to be removed.
    func editSetCookie(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ edits: inout EditList
    ) -> Bool {
        var start = range.lowerBound
        var isGone = false
        while start < range.upperBound {
            let pair = CookiePair(bytes, start..<range.upperBound, separator: .ascii(";"))
            let end = RuleSet.endOfCookie(bytes, pair.end..<range.upperBound)
            let next = min(end + 1, range.upperBound)
            if let rule = cookies.rule(for: bytes.extracting(pair.name)) {
                if rule.action == .remove {
                    if start == range.lowerBound, end == range.upperBound { isGone = true }
                    edits.remove(start..<next, rule)
                } else {
                    replace(bytes, pair.value, rule, .plain, &edits)
                    editAttributes(bytes, pair.end..<end, &edits)
                }
            } else {
                editAttributes(bytes, pair.end..<end, &edits)
            }
            start = next
        }
        return isGone
    }

    /// Edits the attributes of a cookie: those that a rule names, and URLs and names with values in
    /// them.
    private func editAttributes(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ edits: inout EditList
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            let attribute = CookiePair(bytes, start..<range.upperBound, separator: .ascii(";"))
            start = attribute.end + 1
            guard !attribute.name.isEmpty, !attribute.value.isEmpty else { continue }
            if let rule = text.rule(forNested: bytes.extracting(attribute.name)) {
                replace(bytes, attribute.value, rule, .plain, &edits)
            } else if bytes[attribute.value.lowerBound] == .ascii("/") {
                editURL(bytes, attribute.value, &edits)
            }
        }
    }

    /// Returns the end of a cookie's attributes: a line feed, a comma with another cookie after it,
    /// or the end of the field.
    private static func endOfCookie(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        for index in range {
            if bytes[index] == 0x0A { return index }
            guard bytes[index] == .ascii(",") else { continue }
            var position = index + 1
            while position < range.upperBound, bytes[position].isBlank { position += 1 }
            let name = position
            while position < range.upperBound, isNameByte(bytes[position]) { position += 1 }
            if position > name, position < range.upperBound, bytes[position] == .ascii("=") {
                return index
            }
        }
        return range.upperBound
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != .ascii("=") && byte != .ascii(";") && byte != .ascii(",")
    }
}

/// The first pair of a list of cookies.
private struct CookiePair {
    /// The name; empty if there is no `=`.
    let name: Range<Int>
    let value: Range<Int>
    /// The position of the separator, or the end.
    let end: Int

    init(_ bytes: Span<UInt8>, _ range: Range<Int>, separator: UInt8) {
        let text = bytes.extracting(0..<range.upperBound)
        var end = text.firstIndex(ofEither: separator, 0x0A, from: range.lowerBound)
        guard
            let equals = text.extracting(0..<end).firstIndex(
                of: .ascii("="),
                from: range.lowerBound
            )
        else {
            self.end = end
            value = bytes.trimmed(range.lowerBound..<end)
            name = value.lowerBound..<value.lowerBound
            return
        }
        var start = equals + 1
        while start < end, bytes[start].isBlank { start += 1 }
        // A separator within quotes belongs to the value.
        if start < end, bytes[start] == .ascii("\""),
            let quote = text.firstIndex(of: .ascii("\""), from: start + 1)
        {
            end = text.firstIndex(ofEither: separator, 0x0A, from: quote + 1)
        }
        self.end = end
        name = bytes.trimmed(range.lowerBound..<equals)
        value = bytes.trimmed(equals + 1..<end)
    }
}
