// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import LuaStage

/// Scripts read the same values from a request as filters, sinks and redaction, even if it is
/// unusual.
@Suite struct AgreementTests {
    /// A reproducible sequence of texts made of words that are unusual in a URL.
    private struct Texts {
        private var random: Random

        init(seed: UInt64) { random = Random(seed: seed) }

        mutating func next(_ words: [String], upTo count: Int) -> String {
            var text = ""
            for _ in 0..<random.below(count + 1) { text += random.pick(words) }
            return text
        }
    }

    private static let script = """
        function record(ex)
          local request, items = ex.request, {}
          for name, value in pairs(request.query) do items[#items + 1] = name .. "=" .. value end
          ex.tags.url, ex.tags.host, ex.tags.path = request.url, request.host, request.path
          ex.tags.scheme, ex.tags.port = request.scheme, tostring(request.port)
          ex.tags.query, ex.tags.items = tostring(request.query), table.concat(items, "\u{1F}")
        end
        """

    /// The values as the model reads them.
    private func expected(_ request: Request) -> Tags {
        let target = request.target.span
        func text(_ range: Range<Int>) -> String {
            ByteString(target.extracting(range)).description
        }
        var pairs: [String] = []
        var items = QueryItems(request.queryRange)
        while let item = items.next(in: target) {
            let name = PercentEncoding.decode(target.extracting(item.name), plusIsSpace: true)
            let value = PercentEncoding.decode(target.extracting(item.value), plusIsSpace: true)
            pairs.append(
                String(decoding: name, as: UTF8.self) + "=" + String(decoding: value, as: UTF8.self)
            )
        }
        return [
            "url": request.url.description, "host": request.host.description,
            "path": text(request.pathRange),
            "scheme": request.scheme.description, "port": request.port.map(String.init) ?? "nil",
            "query": text(request.queryRange), "items": pairs.joined(separator: "\u{1F}"),
        ]
    }

    private func compare(_ request: Request, with bench: Bench) throws {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2), request: request)
        try bench.run("record", &exchange)
        let place = "\(request.scheme)|\(request.authority)|\(request.target)"
        for tag in expected(request) {
            #expect(exchange.tags[tag.name] == tag.value, "\(tag.name) of \(place)")
        }
    }

    @Test(
        arguments: [
            ("a.test:abc", nil), ("a.test:", 80), ("a.test:0", 0), ("a.test:65536", nil),
            ("a.test:99999999999999999999", nil), ("a.test:8080", 8080), ("[::1]:81", 81),
            ("[::1]", 80),
            ("u:1@a.test", 80), ("u:1@a.test:82", 82), ("a:b:83", nil), ("a.test: 80", nil),
            ("a.test:+80", nil), ("a.test:-1", nil),
        ] as [(String, Int?)]
    )
    func scriptsAndModelAgreeOnThePort(authority: String, port: Int?) throws {
        let request = Request(
            method: "GET",
            target: "/",
            scheme: "http",
            authority: ByteString(authority)
        )
        #expect(request.port == port)
        try compare(request, with: Bench(Self.script))
    }

    @Test func scriptsAndModelAgreeOnURLsAndQueries() throws {
        let bench = try Bench(Self.script)
        var texts = Texts(seed: 11)
        let hosts = [
            "a", ".", "test", ":", "80", "[", "::1", "]", "@", "x", "65535", "-", " ", "%41",
        ]
        let paths = [
            "/", "a", "?", "#", "=", "&", "%", "%4", "%41", "+", ":", "//", "http://", "*", "[]",
        ]
        for _ in 0..<4000 {
            let method = texts.next(["GET", "CONNECT", "OPTIONS"], upTo: 1)
            let request = Request(
                method: ByteString(method.isEmpty ? "GET" : method),
                target: ByteString(texts.next(paths, upTo: 9)),
                scheme: ByteString(texts.next(["http", "https", "HTTPS", "ftp"], upTo: 1)),
                authority: ByteString(texts.next(hosts, upTo: 7))
            )
            try compare(request, with: bench)
        }
    }
}
