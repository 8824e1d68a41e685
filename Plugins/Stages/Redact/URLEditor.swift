// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds secrets in URLs, queries, forms and cookies.
extension RuleSet {
    /// Edits a URL, or a reference to one, that fills a range: user-info, query and fragment.
    func editURL(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        let url = bytes.extracting(range)
        let hash =
            bytes.extracting(0..<range.upperBound)
            .firstIndex(of: .ascii("#"), from: range.lowerBound) ?? range.upperBound
        var question = range.lowerBound
        while question < hash, bytes[question] != .ascii("?") { question += 1 }
        if let authority = RuleSet.authority(of: url) {
            let start = range.lowerBound + authority.lowerBound
            editUserInfo(bytes, start..<range.lowerBound + authority.upperBound, &edits)
        }
        if question < hash { editItems(bytes, question + 1..<hash, query, &edits) }
        if hash < range.upperBound { editFragment(bytes, hash + 1..<range.upperBound, &edits) }
    }

    /// Where the authority lies in a URL or in a reference that begins with `//`.
    private static func authority(of url: Span<UInt8>) -> Range<Int>? {
        if let parts = URLParts(url) {
            return parts.userInfo.lowerBound..<parts.hostPort.upperBound
        }
        guard url.count > 2, url[0] == .ascii("/"), url[1] == .ascii("/") else { return nil }
        var end = 2
        while end < url.count, url[end] != .ascii("/"), url[end] != .ascii("?"),
            url[end] != .ascii("#")
        {
            end += 1
        }
        return 2..<end
    }

    /// Edits what stands before the last `@` of an authority; it is a secret whatever the rules.
    func editUserInfo(_ bytes: Span<UInt8>, _ authority: Range<Int>, _ edits: inout EditList) {
        guard let at = bytes.extracting(authority).lastIndex(of: .ascii("@")), at > 0 else {
            return
        }
        let range = authority.lowerBound..<authority.lowerBound + at
        guard action != .remove else {
            edits.remove(range.lowerBound..<range.upperBound + 1)
            return
        }
        replaceEncoded(bytes, range, action, plusIsSpace: false, &edits)
    }

    /// Edits a fragment: tokens come back from logins as `#access_token=…`, and routes of scripts
    /// have queries of their own, `#/route?token=…`.
    private func editFragment(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        var start = range.lowerBound
        for index in range where bytes[index] == .ascii("?") { start = index + 1 }
        if start > range.lowerBound {
            editItems(bytes, range.lowerBound..<start - 1, query, &edits)
        }
        editItems(bytes, start..<range.upperBound, query, &edits)
    }

    /// Edits the items of a query or a form.
    func editItems(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: borrowing NameRules,
        _ edits: inout EditList
    ) {
        var items = QueryItems(range)
        var cutter = ListCutter()
        while let item = items.next(in: bytes) {
            let whole = item.name.lowerBound..<item.value.upperBound
            guard let action = action(bytes, item.name, rules) else {
                editInnerItems(bytes, item.value, rules, &edits)
                cutter.keep(until: whole.upperBound)
                continue
            }
            if action == .remove {
                let next = whole.upperBound < range.upperBound ? whole.upperBound + 1 : nil
                cutter.remove(whole, next: next, &edits)
            } else {
                replaceEncoded(bytes, item.value, action, plusIsSpace: true, &edits)
                cutter.keep(until: whole.upperBound)
            }
        }
    }

    /// Some servers separate items by semicolons too; what follows a name then goes as far as the
    /// item does, since a secret may hold a semicolon itself.
    private func editInnerItems(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: borrowing NameRules,
        _ edits: inout EditList
    ) {
        var start: Int?
        for index in range {
            if bytes[index] == .ascii(";") { start = index + 1 }
            guard let name = start, bytes[index] == .ascii("=") else { continue }
            start = nil
            guard let action = action(bytes, name..<index, rules) else { continue }
            if action == .remove {
                edits.remove(name - 1..<range.upperBound)
            } else {
                replaceEncoded(
                    bytes,
                    index + 1..<range.upperBound,
                    action,
                    plusIsSpace: true,
                    &edits
                )
            }
            return
        }
    }

    /// What is done with the value of a name that may be percent-encoded.
    private func action(
        _ bytes: Span<UInt8>,
        _ name: Range<Int>,
        _ rules: borrowing NameRules
    ) -> RedactionAction? {
        let written = bytes.extracting(name)
        for index in written.indices
        where written[index] == .ascii("%") || written[index] == .ascii("+") {
            let decoded = PercentEncoding.decode(written, plusIsSpace: true)
            return rules.action(forNested: decoded.span)
        }
        return rules.action(forNested: written)
    }

    private func replaceEncoded(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ action: RedactionAction,
        plusIsSpace: Bool,
        _ edits: inout EditList
    ) {
        guard action == .hash else {
            edits.add(range) { output in
                replacement.append(action, of: bytes.extracting(0..<0), as: .url, to: &output)
            }
            return
        }
        let secret = PercentEncoding.decode(bytes.extracting(range), plusIsSpace: plusIsSpace)
        edits.add(range) { output in
            replacement.append(.hash, of: secret.span, as: .url, to: &output)
        }
    }
}
