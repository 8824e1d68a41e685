// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import Testing

@testable import LuaStage

/// What the libraries of scripts make of a text is what the rest of Tapline makes of it, however odd
/// the text is.
@Suite struct LibraryAgreementTests {
    private static let separator = UInt8(ascii: "\u{1F}")

    /// Texts put together of the given words, the same in each run.
    private func texts(of words: [String], count: Int, upTo length: Int) -> [[UInt8]] {
        var state: UInt64 = 5
        func random(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        return (0..<count).map { _ in
            (0..<random(below: length + 1)).flatMap { _ in
                Array(words[random(below: words.count)].utf8)
            }
        }
    }

    /// What an expression of `text`, a string, is for each of the texts.
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

    /// Compares what an expression gives with what a function does.
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

    @Test func base64ReadsAlike() throws {
        let words = ["A", "Q", "z", "+", "/", "-", "_", "=", " ", "\n", "Zm9v", "é"]
        let texts = texts(of: words, count: 4000, upTo: 7)
        try compare("(base64.decode(text) or 'none'):gsub('.', string.byte)", of: texts) { text in
            var bytes: [UInt8] = []
            let wrong = Base64.decode(text.span, .compact, into: &bytes)
            if wrong != nil { bytes = Array("none".utf8) }
            return bytes.map(String.init).joined()
        }
    }
}
