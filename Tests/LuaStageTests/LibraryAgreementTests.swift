// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import LuaStage

/// The script libraries read and write texts like the rest of Tapline, even unusual texts.
@Suite struct LibraryAgreementTests {
    private static let separator = UInt8(ascii: "\u{1F}")

    /// Texts composed of the given words, the same in each run.
    private func texts(of words: [String], count: Int, upTo length: Int) -> [[UInt8]] {
        var random = Random(seed: 5)
        return (0..<count).map { _ in
            (0..<random.below(length + 1)).flatMap { _ in Array(random.pick(words).utf8) }
        }
    }

    /// The results of an expression of the variable `text` for each of the texts.
    private func results(_ expression: String, of texts: [[UInt8]]) throws -> [[UInt8]] {
        let bench = try Bench(
            """
            local separator = "\\31"
            function record(ex)
              local results = {}
              for text in (ex.request.body .. separator):gmatch("([^" .. separator .. "]*)" .. separator) do
                results[#results + 1] = \(expression)
              end
              ex.request.body = table.concat(results, separator)
            end
            """
        )
        var exchange = Exchange.sample
        exchange.request.body = Body(Array(texts.joined(separator: [Self.separator])))
        try bench.run("record", &exchange)
        return exchange.request.body.bytes.split(
            separator: Self.separator,
            omittingEmptySubsequences: false
        ).map { Array($0) }
    }

    /// Compares the results of an expression with those of a function.
    private func compare(
        _ expression: String,
        of texts: [[UInt8]],
        with expected: ([UInt8]) -> String
    ) throws {
        let results = try results(expression, of: texts)
        #expect(results.count == texts.count)
        for (text, result) in zip(texts, results) {
            let found = String(decoding: result, as: UTF8.self)
            guard found != expected(text) else { continue }
            let name = String(decoding: text, as: UTF8.self)
            Issue.record("\(name.debugDescription): \(found), expected \(expected(text))")
            return
        }
    }

    @Test func base64AgreesWithTheModel() throws {
        let words = ["A", "Q", "z", "+", "/", "-", "_", "=", " ", "\n", "Zm9v", "é"]
        let texts = texts(of: words, count: 4000, upTo: 7)
        try compare("(base64.decode(text) or 'none'):gsub('.', string.byte)", of: texts) { text in
            var bytes: [UInt8] = []
            let wrong = Base64.decode(text.span, .compact, into: &bytes)
            if wrong != nil { bytes = Array("none".utf8) }
            return bytes.map(String.init).joined()
        }
    }

    @Test func timesAgreeWithTheModel() throws {
        let words = [
            "2000", "-02-29", "-13-01", "T", "t", " ", "00:59:60", "24:00:00", ".5", ".", "Z", "z",
            "+01:30", "-24:00", "Sun, ", "06 Nov ", "31-Feb-", "1994 ", "08:49:37", " GMT",
        ]
        var texts = texts(of: words, count: 4000, upTo: 6)
        for year in ["1970", "1900", "0000", "9999", "200"] {
            for day in ["-02-28", "-02-29", "-12-31", "-00-01", "-1-1"] {
                for end in [
                    "T00:00:00Z", "t23:59:60.5000009-00:01", " 12:30:00+23:59", "T1:00:00Z",
                ] {
                    texts.append(Array((year + day + end).utf8))
                }
            }
        }
        for day in ["Sun, 06 Nov ", "Sun, 06-Nov-", "Xxx, 06 Nov ", "Mon, 31 Feb ", "Mon, 6 Nov "] {
            for end in [
                "1994 08:49:37 GMT", "1994 08:49:61 GMT", "94 08:49:37 GMT", "0000 00:00:00 GMT",
            ] {
                texts.append(Array((day + end).utf8))
            }
        }
        try compare("time.parse(text) and ('%.6f'):format(time.parse(text)) or 'none'", of: texts) {
            text in
            var time = Timestamp(rfc3339: text.span)
            if time == nil { time = Timestamp(httpDate: text.span) }
            guard let time else { return "none" }
            let (seconds, rest) = time.microseconds.magnitude.quotientAndRemainder(
                dividingBy: 1_000_000
            )
            let fraction = String(rest + 1_000_000).dropFirst()
            return (time.microseconds < 0 ? "-" : "") + "\(seconds).\(fraction)"
        }
    }

    private static let urlWords = [
        "/", "a", "b", "[", "]", "::1", "@", "?", "#", ":", "//", "http:", "https:", "HTTPS://",
        "x:",
        "80", "65535", "65536", "1", "0", "%41", "+", "-", ".", "..", "../", "./", ";",
    ]

    @Test func urlsAgreeWithTheModel() throws {
        let texts = texts(of: Self.urlWords, count: 4000, upTo: 10)
        let expression = """
            (function(url)
              local parts = {}
              for _, name in ipairs{"scheme", "userinfo", "host", "port", "path", "query", "fragment"} do
                parts[#parts + 1] = tostring(url[name])
              end
              return table.concat(parts, "|")
            end)(url.parse(text))
            """
        try compare(expression, of: texts) { text in
            let parts = URIReference(text.span)
            func part(_ range: Range<Int>?) -> String {
                range.map { String(decoding: text[$0], as: UTF8.self) } ?? "nil"
            }
            var authority = ["nil", "nil", "nil"]
            if let range = parts.authority {
                let request = Request(
                    method: "GET",
                    target: "/",
                    scheme: ByteString(parts.scheme.map { Array(text[$0]) } ?? []),
                    authority: ByteString(Array(text[range]))
                )
                let host = request.hostRange
                if host.lowerBound > 0 {
                    authority[0] = part(range.lowerBound..<range.lowerBound + host.lowerBound - 1)
                }
                authority[1] = request.host.description
                authority[2] = request.port.map(String.init) ?? "nil"
            }
            return
                ([part(parts.scheme)] + authority + [
                    part(parts.path), part(parts.query), part(parts.fragment),
                ]).joined(separator: "|")
        }
    }

    @Test func resolvedReferencesAgreeWithTheModel() throws {
        let texts = texts(of: Self.urlWords, count: 2000, upTo: 8)
        for base in ["http://h/a/b/../c?q#f", "x:a/b", "http:", "https://u@h:1"] {
            try compare("url.join('\(base)', text)", of: texts) { text in
                let uri = URIReference.resolve(text.span, against: base.utf8.span)
                return String(decoding: uri ?? [], as: UTF8.self)
            }
        }
    }

    @Test func checksOfFieldNamesAndValuesAgreeWithTheModel() throws {
        // All bytes except the separator of the texts.
        let bytes = (UInt8.min ... .max).filter { $0 != Self.separator }
        let texts = bytes.map { [UInt8(ascii: "a"), $0] }
        try compare("tostring(pcall(function() ex.request.headers[text] = 'b' end))", of: texts) {
            text in
            String(text[1].isTokenByte)
        }
        try compare("tostring(pcall(function() ex.request.headers.b = text end))", of: texts) {
            text in
            String(!text[1].endsField)
        }
    }

    @Test func reasonsOfStatusesAgreeWithTheModel() throws {
        let bench = try Bench(
            """
            function response(ex)
              for status = 200, 999 do
                ex.response.status = status
                ex.vars[tostring(status)] = ex.response.reason
              end
            end
            function record(ex)
              for status = 200, 999 do ex.tags[tostring(status)] = ex.vars[tostring(status)] end
            end
            """
        )
        var exchange = Exchange.sample
        var context = ExchangeContext()
        context.hasResponseBody = true
        _ = try bench.stage.response(&exchange, &context)
        _ = try bench.stage.record(&exchange, &context)
        for status in 200...999 {
            let reason = status == 200 ? "OK" : Response.reason(of: status)
            #expect(exchange.tags["\(status)"] == reason)
        }
    }

    @Test func writtenJSONAgreesWithTheModel() throws {
        let words = [
            "a", "\"", "\\", "\n", "\u{0}", "\u{7F}", "é", "\u{1F600}", "plain text ", "\t",
        ]
        try compare("json.encode(text)", of: texts(of: words, count: 2000, upTo: 12)) { text in
            var writer = JSONWriter()
            writer.string(text.span)
            return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
        }
        let digits = ["0", "1", "9", "25", ".", "e", "-", "1000", "e-3", "999999"]
        let numbers = texts(of: digits, count: 4000, upTo: 5).filter { text in
            let text = String(decoding: text, as: UTF8.self)
            return Double(text)?.isFinite == true && !text.contains("x")
        }
        try compare("json.encode(tonumber(text))", of: numbers) { text in
            let text = String(decoding: text, as: UTF8.self)
            var writer = JSONWriter()
            if let value = Int64(text) {
                writer.integer(value)
            } else {
                writer.double(Double(text) ?? .nan)
            }
            return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
        }
    }

    @Test(
        arguments: [[0x80], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]]
    )
    func writtenJSONMustBeUTF8(text: [UInt8]) throws {
        let isValid = isValidUTF8(text.span)
        #expect(!isValid)
        try compare("tostring(pcall(json.encode, text))", of: [text]) { _ in "false" }
    }
}
