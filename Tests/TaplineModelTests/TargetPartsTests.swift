// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineModel

@Suite struct TargetPartsTests {
    @Test(arguments: [
        ("/a?b#c", ["", "/a", "b", "#c"]), ("/a", ["", "/a", "-", ""]),
        ("/a?", ["", "/a", "", ""]),
        ("*", ["", "*", "-", ""]), ("a.test:443", ["", "a.test:443", "-", ""]),
        ("http://u@a.test:1/p?q?r", ["http://u@a.test:1", "/p", "q?r", ""]),
        ("http://a.test?q", ["http://a.test", "", "q", ""]),
        ("http://a.test#f?g", ["http://a.test", "", "-", "#f?g"]),
        ("/x#f?g", ["", "/x", "-", "#f?g"]), ("", ["", "", "-", ""]),
    ])
    func splitsTargetsOfAnyForm(target: String, expected: [String]) {
        let bytes = Array(target.utf8)
        let parts = TargetParts(bytes.span)
        let found = [parts.prefix, parts.path, parts.query, parts.fragment].map { range in
            range.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "-"
        }
        #expect(found == expected)
    }

    @Test(arguments: [
        ("http", 80), ("HTTPS", 443), ("ws", 80), ("wss", 443), ("ftp", nil),
    ])
    func defaultPorts(scheme: String, expected: Int?) {
        let bytes = Array("a.test".utf8)
        let parts = AuthorityParts(bytes.span)
        let found = parts.portNumber(bytes.span, scheme: scheme.utf8.span)
        #expect(found == expected)
    }

    @Test(arguments: [
        ("a.test", "a.test", "-", 80), ("a.test:", "a.test", "", 80),
        ("a.test:8", "a.test", "8", 8),
        ("u:p@a.test:8", "a.test", "8", 8), ("[::1]:8", "[::1]", "8", 8),
        ("[::1]", "[::1]", "-", 80),
        ("a.test:abc", "a.test", "abc", nil), ("a.test:65536", "a.test", "65536", nil),
        ("", "", "-", 80),
    ])
    func splitsAuthorities(authority: String, host: String, port: String, number: Int?) {
        let bytes = Array(authority.utf8)
        let parts = AuthorityParts(bytes.span)
        #expect(String(decoding: bytes[parts.host], as: UTF8.self) == host)
        #expect(parts.port.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "-" == port)
        let scheme = "http"
        let found = parts.portNumber(bytes.span, scheme: scheme.utf8.span)
        #expect(found == number)
    }
}
