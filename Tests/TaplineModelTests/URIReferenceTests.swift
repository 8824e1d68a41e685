// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct URIReferenceTests {
    private func resolve(_ reference: String, against base: String) -> String? {
        URIReference.resolve(reference.utf8.span, against: base.utf8.span).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// RFC 3986 §5.4.1 and §5.4.2, with the last one interpreted strictly.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
        ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("http:g", "http:g"),
    ])
    func resolvesTheExamplesOfTheRFC(reference: String, expected: String) {
        #expect(resolve(reference, against: "http://a/b/c/d;p?q") == expected)
    }

    @Test(arguments: [
        ("http://a", "g", "http://a/g"), ("http://a?q", "g", "http://a/g"),
        ("http://a", "", "http://a"), ("http://a?", "", "http://a?"),
        ("http://a?q", "?", "http://a?"),
        ("http://a#f", "", "http://a"), ("http://a", "#", "http://a#"), ("x:", "g", "x:g"),
        ("x:a/b", "../../g", "x:/g"), ("x:a", "//", "x://"), ("x:a/b", "..", "x:/"),
        ("HTTP://A/b/../c", "", "HTTP://A/c"), ("x:?q", ".", "x:/"),
    ])
    func resolvesWithOtherBases(base: String, reference: String, expected: String) {
        #expect(resolve(reference, against: base) == expected)
    }

    @Test(arguments: ["", "/a", "//a/b", "1a:b", ":b", "a/b:c", "?a:b", "é:b"])
    func rejectsABaseWithoutAScheme(base: String) {
        #expect(resolve("g", against: base) == nil)
    }

    @Test(arguments: [
        (
            "http://www.ics.uci.edu/pub/ietf/uri/#Related",
            "http|www.ics.uci.edu|/pub/ietf/uri/|-|Related"
        ),
        ("", "-|-||-|-"), ("//", "-|||-|-"), ("?", "-|-|||-"), ("#", "-|-||-|"), ("?#", "-|-|||"),
        ("#?", "-|-||-|?"), ("a:", "a|-||-|-"), ("a:b:c", "a|-|b:c|-|-"),
        ("a/b:c", "-|-|a/b:c|-|-"),
        ("1:b", "-|-|1:b|-|-"), ("+:b", "-|-|+:b|-|-"), ("a+.-1:b", "a+.-1|-|b|-|-"),
        ("x:///p", "x||/p|-|-"), ("x://u@h:1?q#f", "x|u@h:1||q|f"),
        ("/a//b?c?d", "-|-|/a//b|c?d|-"),
        ("x:/", "x|-|/|-|-"), ("a?b:c//d", "-|-|a|b:c//d|-"),
    ])
    func everyTextHasParts(text: String, expected: String) {
        let bytes = Array(text.utf8)
        let parts = URIReference(bytes.span)
        let ranges = [parts.scheme, parts.authority, parts.path, parts.query, parts.fragment]
        let texts = ranges.map { $0.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "-" }
        #expect(texts.joined(separator: "|") == expected)
    }

    /// RFC 3986 §5.3.
    @Test(arguments: [
        "http://a/b?c#d", "//a", "a:b", "?", "#", "a?#", "x:///?#", "",
        "x://u:p@h:1/p;q=1?a=b&c#d/e?f",
    ])
    func partsAssembleToTheOriginalText(text: String) {
        let bytes = text.utf8.span
        let parts = URIReference(bytes)
        let written = [UInt8](capacity: bytes.count) { output in
            if let scheme = parts.scheme { output.appendScheme(bytes.extracting(scheme)) }
            if let authority = parts.authority {
                output.append(bytes.extracting(authority), after: "//")
            }
            output.append(copying: bytes.extracting(parts.path))
            if let query = parts.query { output.append(bytes.extracting(query), after: "?") }
            if let fragment = parts.fragment {
                output.append(bytes.extracting(fragment), after: "#")
            }
        }
        #expect(String(decoding: written, as: UTF8.self) == text)
    }
}
