// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import RedactStage

/// A search of joined texts has the same findings as a search of each text alone.
@Suite struct DetectorBatchTests {
    private static func finding(_ start: Int, _ end: Int) -> SecretFinding {
        SecretFinding(start: start, end: end, kind: 0)
    }

    private static func isSuspect(_ texts: DetectorBatch, _ text: String) -> Bool {
        texts.isSuspect(Array(text.utf8).span)
    }

    @Test func findingsMarkTheirTexts() {
        var texts = DetectorBatch()
        for text in ["one", "two", "three"] { texts.append(Array(text.utf8).span) }
        #expect(texts.bytes == Array("one\0two\0three\0".utf8))
        texts.note([])
        #expect(!texts.hasSuspects)
        texts.note([Self.finding(4, 5), Self.finding(6, 7)])
        #expect(texts.slots.map(\.isSuspect) == [false, true, false])
        #expect(Self.isSuspect(texts, "two") && !Self.isSuspect(texts, "one"))
        // The NUL belongs to neither text.
        texts.removeAll()
        for text in ["one", "two", "three"] { texts.append(Array(text.utf8).span) }
        texts.note([Self.finding(3, 4)])
        #expect(!texts.hasSuspects)
        texts.note([Self.finding(2, 9)])
        #expect(texts.slots.map(\.isSuspect) == [true, true, true])
    }

    @Test func missingTextsKeepTheirSlots() {
        var texts = DetectorBatch()
        texts.append { bytes in
            bytes += [1, 2, 3]
            return false
        }
        texts.appendEmpty(.apart)
        texts.append { bytes in
            bytes += [4, 5]
            return true
        }
        #expect(texts.bytes == [4, 5, 0])
        #expect(texts.slots.map(\.state) == [.none, .apart, .whole])
        texts.note([Self.finding(0, 1)])
        #expect(texts.slots.map(\.isSuspect) == [false, false, true])
    }

    @Test func manySuspectsAreNotLookedUp() {
        var texts = DetectorBatch()
        for _ in 0..<20 { texts.append([UInt8(7)].span) }
        texts.note((0..<20).map { Self.finding(2 * $0, 2 * $0 + 1) })
        #expect(Self.isSuspect(texts, "any"))
        texts.removeAll()
        #expect(!texts.hasSuspects && !Self.isSuspect(texts, "any"))
        texts.append([UInt8(7)].span)
        texts.note(nil)
        #expect(Self.isSuspect(texts, "any"))
    }

    /// Returns a text of words, of secrets whose end others may continue, and of encoded texts.
    private static func text(_ random: inout Random, _ depth: Int = 0) -> String {
        var text = ""
        for _ in 0..<random.below(4) {
            let inner = depth < 2 ? Self.text(&random, depth + 1) : "SK-ABCDEF"
            let bytes = Array(inner.utf8)
            text += random.pick([
                "word ", "SK-", "SK-12", "34567", "SK-ABCDEFG", " SK-1234567;", "4111 1111",
                "4111111111111111", "a=b&c=d ", "%", "\\n", "/path/", "?q=",
                String(decoding: PercentEncoding.encode(bytes.span), as: UTF8.self),
                String(
                    decoding: EncodedSecretTests.base64(bytes, url: false, padded: true),
                    as: UTF8.self
                ),
                String(
                    decoding: EncodedSecretTests.quoted(bytes).dropFirst().dropLast(),
                    as: UTF8.self
                ),
                bytes.map { EncodedSecretTests.hex($0) }.joined(),
            ])
        }
        return text
    }

    private static func exchange(_ random: inout Random) -> Exchange {
        var fields: FieldSection = ["Host": "shop.test", "Accept": "*/*"]
        for _ in 0..<random.below(6) {
            let name = random.pick([
                "X-A", "Referer", "Cookie", "Location", "SK-ABC1EFGH", "X-1234",
            ])
            fields.append(name: name, value: text(&random))
        }
        let strings = (0..<random.below(5)).map { _ in
            "\"\(text(&random).replacing("\"", with: "'"))\""
        }
        var exchange = RedactStageTests.exchange(
            target: "/" + text(&random),
            fields: fields,
            type: random.pick(["application/json", "text/plain"]),
            body: "[" + strings.joined(separator: ",") + "]"
        )
        exchange.tags["note"] = text(&random)
        exchange.error = ExchangeError(code: "broken", message: text(&random))
        return exchange
    }

    @Test(arguments: 1...3)
    func joinedAndSeparateSearchesHaveTheSameResults(seed: UInt64) throws {
        func stage(_ joins: Bool) throws -> any RecordStage {
            let library = FakeDetectors(endsAtNUL: joins)
            let built = build("{preset: none, detectors: standard}", detectors: library)
            let factory = try #require(built.factory)
            let stage = try factory.makeStage(StageContext(id: "redact"))
            return try #require(stage as? any RecordStage)
        }
        let (joined, alone) = (try stage(true), try stage(false))
        var random = Random(seed: seed)
        var changed = 0
        for _ in 0..<400 {
            let exchange = Self.exchange(&random)
            let results = try [joined, alone].map { stage in
                var result = exchange
                var context = ExchangeContext()
                _ = try stage.record(&result, &context)
                return Self.parts(result)
            }
            if results[0] != Self.parts(exchange) { changed += 1 }
            #expect(results[0] == results[1])
        }
        #expect(changed > 200)
    }

    private static func parts(_ exchange: Exchange) -> [String] {
        var parts = [exchange.request.target.description]
        for position in 0..<exchange.request.fields.count {
            for span in [
                Array(copying: exchange.request.fields.name(at: position)),
                Array(copying: exchange.request.fields.value(at: position)),
            ] {
                parts.append(String(decoding: span, as: UTF8.self))
            }
        }
        parts.append(String(decoding: exchange.request.body.bytes, as: UTF8.self))
        for tag in exchange.tags { parts.append("\(tag.name)=\(tag.value)") }
        parts.append(exchange.error?.message ?? "")
        return parts
    }
}
