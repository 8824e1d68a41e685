// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

/// JSON that spans several messages of a stream.
@Suite struct RedactorMessagesTests {
    private func redacted(_ texts: [(StreamMessage.Direction, String)]) throws -> [String] {
        var full = exchange()
        full.messages = texts.map {
            StreamMessage(direction: $0.0, type: "text", bytes: Array($0.1.utf8))
        }
        let result = try redact(full, "{mask: '*', detectors: key}")
        return result.messages.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(arguments: [
        (["{\"password\":\"pl4", "nted\",\"a\":1}"], ["{\"password\":\"*\"", ",\"a\":1}"]),
        (["{\"password\":", "\"pl4nted\"", "}"], ["{\"password\":", "\"*\"", "}"]),
        (["{\"a\":[\"SK-PLA", "NTED77\"]}"], ["{\"a\":[\"*", "\"]}"]),
        (["{\"a\":tr", "ue,\"pin\":", "4711}"], ["{\"a\":tr", "ue,\"pin\":", "\"*\"}"]),
    ])
    func splitJSONIsReadAsOneText(texts: [String], expected: [String]) throws {
        #expect(try redacted(texts.map { (.up, $0) }) == expected)
    }

    @Test func directionsAreReadSeparately() throws {
        let result = try redacted([
            (.up, "{\"token\":\"pl4"), (.down, "{\"b\":2}"), (.up, "nted\"}"), (.down, "words"),
        ])
        #expect(result == ["{\"token\":\"*\"", "{\"b\":2}", "}", "words"])
    }

    @Test func onlyIncompleteJSONIsMasked() throws {
        let texts = ["{\"a\":\"x", "{\"b\":1}", "words"].map { (StreamMessage.Direction.up, $0) }
        let result = try redacted(texts)
        #expect(result[0] == "{\"a\":*")
        #expect(result[1] == "{\"b\":1}")
        #expect(result[2] == "words")
    }

    @Test func incompleteJSONIsReadAsOneText() throws {
        let texts = ["{\"a\":1,\"password\":", "\"pl4nted\"", ",\"b\":2"]
        let result = try redacted(texts.map { (.up, $0) })
        #expect(!result.joined().contains("pl4nted"))
        #expect(result[0] == "{\"a\":1,\"password\":")
        #expect(result[1] == "\"*\"")
    }

    @Test func incompleteJSONIsAlsoRedactedMessageByMessage() throws {
        let texts = ["[\"a\",", "{\"password\":\"pl4nted\"},", "\"b\","]
        #expect(!(try redacted(texts.map { (.up, $0) }).joined().contains("pl4nted")))
    }

    @Test func aMessageOfAnotherTypeContinuesTheText() throws {
        var full = exchange()
        full.messages = [
            StreamMessage(direction: .up, type: "text", bytes: Array("{\"password\":".utf8)),
            StreamMessage(direction: .up, type: "binary", bytes: Array("\"pl4nted\"}".utf8)),
        ]
        let result = try redact(full, "{mask: '*', detectors: key}")
        #expect(result.messages.last?.bytes == Array("\"*\"}".utf8))
    }

    @Test func wholeMessagesStay() throws {
        let texts = ["{\"a\":1}", "[1,2]", "hello", "{}"]
        #expect(try redacted(texts.map { (.down, $0) }) == texts)
    }

    @Test func eventsAfterAnIncompleteOneAreMasked() throws {
        let body = "data: {\"password\":\n\ndata: \"pl4nted\"}\n\ndata: {\"b\":2}\n\ndata: x\n\n"
        #expect(
            try redactBody(body, "text/event-stream", "mask: '*'")
                == "data: {\"password\":\n\ndata:*\n\ndata: {\"b\":2}\n\ndata: x\n\n"
        )
    }
}
