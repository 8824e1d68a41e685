// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@Suite struct URLPartsTests {
    private func parts(_ url: String) -> [String]? {
        let bytes = Array(url.utf8)
        guard let parts = URLParts(bytes.span) else { return nil }
        return [parts.scheme, parts.userInfo, parts.hostPort, parts.target, parts.fragment]
            .map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test(arguments: [
        ("http://a", ["http", "", "a", "", ""]), ("http://a/", ["http", "", "a", "/", ""]),
        ("https://u:p@a:1/b?c#d", ["https", "u:p", "a:1", "/b?c", "d"]),
        ("http://u@v@a/x@y", ["http", "u@v", "a", "/x@y", ""]),
        ("http://a?b", ["http", "", "a", "?b", ""]), ("http://a#f", ["http", "", "a", "", "f"]),
        ("http://[::1]:8/", ["http", "", "[::1]:8", "/", ""]),
        ("ws+x.1-z://a#", ["ws+x.1-z", "", "a", "", ""]),
        ("http://", ["http", "", "", "", ""]), ("http://@", ["http", "", "", "", ""]),
        ("http://a/?q=#f#g", ["http", "", "a", "/?q=", "f#g"]),
    ])
    func absoluteURLsAreSplit(url: String, expected: [String]) {
        #expect(parts(url) == expected)
    }

    @Test(arguments: [
        "", "a", "/path?x=http://a", "http:/a", "http:", "://a", "ht tp://a", "é://a",
    ])
    func rejectsTextsThatAreNotAbsoluteURLs(url: String) {
        #expect(parts(url) == nil)
    }

    @Test func noInputCausesATrap() {
        var random = Random(seed: 9)
        for _ in 0..<5000 {
            let text = (0..<random.below(14)).map { _ in
                random.pick(["http", ":", "/", "//", "@", "?", "#", "a", "[", "]", "é", "%", ":1"])
            }.joined()
            _ = parts(text)
            var request = Request(target: ByteString(text), authority: ByteString(text))
            let url = request.url
            #expect(request.pathRange.upperBound <= request.queryRange.lowerBound)
            #expect(request.queryRange.upperBound <= request.target.count)
            _ = (request.host, request.port)
            request.setURL(url.span)
        }
    }

    @Test(arguments: [
        ("a", "a", 80), ("a:8080", "a", 8080), ("u:p@a:1", "a", 1), ("[::1]", "[::1]", 80),
        ("[::1]:99", "[::1]", 99), ("u@[::1]:99", "[::1]", 99), ("", "", 80),
    ])
    func readsHostAndPortFromTheAuthority(authority: String, host: String, port: Int) {
        let request = Request(authority: ByteString(authority))
        #expect(request.host.text == host)
        #expect(request.port == port)
    }

    @Test(arguments: ["a:", "a:x", "a:65536", "a:99999999999999999999"])
    func invalidPortsAreUnknown(authority: String) {
        let port = Request(authority: ByteString(authority)).port
        #expect(authority == "a:" ? port == 80 : port == nil || port == 80)
        #expect(port.map { $0 <= 65_535 } ?? true)
    }

    @Test(arguments: [
        ("GET", "/a?b", "http", "h:1", "http://h:1/a?b"), ("OPTIONS", "*", "http", "h", "http://h"),
        ("OPTIONS", "*a", "http", "h", "http://h/*a"), ("OPTIONS", "/*", "http", "h", "http://h/*"),
        ("CONNECT", "h:443", "https", "h:443", "https://h:443"),
        ("GET", "http://x/y", "http", "h", "http://x/y"), ("GET", "/a", "", "", "/a"),
        ("GET", "", "http", "h", "http://h/"), ("GET", "?q", "http", "h", "http://h/?q"),
    ])
    func assemblesTheURL(
        method: String,
        target: String,
        scheme: String,
        authority: String,
        url: String
    ) {
        let request = Request(
            method: ByteString(method),
            target: ByteString(target),
            scheme: ByteString(scheme),
            authority: ByteString(authority)
        )
        #expect(request.url.text == url)
    }

    @Test(arguments: [
        ("https://h:1/a?b#c", "https", "h:1", "/a?b"), ("http://u:p@h", "http", "u:p@h", "/"),
        ("http://h?q=1", "http", "h", "/?q=1"), ("/only", "http", "old", "/only"),
    ])
    func setsTheURL(url: String, scheme: String, authority: String, target: String) {
        var request = Request(authority: "old")
        request.setURL(Array(url.utf8).span)
        #expect(request.scheme.text == scheme)
        #expect(request.authority.text == authority)
        #expect(request.target.text == target)
    }

    @Test(arguments: [
        ("/a/b?c=d?e#f", "/a/b", "c=d?e"), ("/a", "/a", ""), ("/a?", "/a", ""), ("/a#?b", "/a", ""),
        ("http://h/p?q", "/p", "q"), ("http://h", "", ""), ("*", "*", ""), ("", "", ""),
    ])
    func pathAndQueryAreRanges(target: String, path: String, query: String) {
        let request = Request(target: ByteString(target))
        let bytes = Array(target.utf8)
        #expect(String(decoding: bytes[request.pathRange], as: UTF8.self) == path)
        #expect(String(decoding: bytes[request.queryRange], as: UTF8.self) == query)
    }
}
