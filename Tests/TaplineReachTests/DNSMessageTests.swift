// SPDX-License-Identifier: MIT

import TaplineNet
import TaplineReach
import TestSupport
import Testing

/// Messages for tests, built by RFC 1035 §4.
enum Message {
    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    static func query(_ text: String, type: UInt16 = 1, id: UInt8 = 7) -> [UInt8] {
        [0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name(text) + [0, UInt8(type), 0, 1]
    }

    /// A response with records, each with its type and data; names are pointers to the question.
    static func response(
        _ text: String,
        type: UInt16 = 1,
        id: UInt8 = 7,
        _ records: [(UInt8, [UInt8])]
    ) -> [UInt8] {
        var bytes = query(text, type: type, id: id)
        bytes[2] = 0x81
        bytes[3] = 0x80
        bytes[7] = UInt8(records.count)
        for (type, data) in records {
            bytes += [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, UInt8(data.count)] + data
        }
        return bytes
    }

    static let v4: (UInt8, [UInt8]) = (1, [203, 0, 113, 7])
    static let v6: (UInt8, [UInt8]) = (
        28, [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]
    )
    static let alias: (UInt8, [UInt8]) = (5, [1, 0x61, 0xC0, 12])
}

@Suite struct DNSMessageTests {
    private func parsed(_ bytes: [UInt8]) -> DNSMessage? { DNSMessage(bytes.span) }

    private func addresses(_ bytes: [UInt8]) -> [IPAddress] { DNSMessage.addresses(in: bytes.span) }

    @Test func theQuestionOfAQueryIsRead() throws {
        let message = try #require(parsed(Message.query("Shop.TEST", type: 28)))
        #expect(message.id == 7)
        #expect(message.name == "shop.test")
        #expect(message.type == DNSMessage.RecordType.aaaa)
        #expect(!message.isResponse)
        #expect(!message.asksForService)
    }

    @Test func recordsThatAnnounceHTTP3AreRecognised() {
        #expect(parsed(Message.query("a.test", type: 65))?.asksForService == true)
        #expect(parsed(Message.query("a.test", type: 64))?.asksForService == true)
    }

    @Test func addressesOfAResponseAreReadAfterAnAlias() {
        let bytes = Message.response("a.test", [Message.alias, Message.v4, Message.v6])
        let texts = addresses(bytes).map { "\($0)" }
        #expect(texts == ["203.0.113.7", "2001:db8::7"])
    }

    @Test func aRecordOfAWrongSizeIsNoAddress() {
        let bytes = Message.response("a.test", [(1, [1, 2, 3]), (28, [1]), Message.v4])
        #expect(addresses(bytes).count == 1)
    }

    @Test func everyCutMessageIsRefusedWithoutATrap() {
        let bytes = Message.response("a.test", [Message.v4, Message.v6])
        for count in 0..<bytes.count {
            let part = Array(bytes[..<count])
            #expect(addresses(part).count < 2)
            if count < 24 { #expect(parsed(part) == nil) }
        }
    }

    @Test(arguments: [
        [0, 7, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1],
        [0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x41, 0x61, 0, 0, 1, 0, 1],
        [0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xC0],
    ])
    func aMessageWithoutOneQuestionIsRefused(bytes: [UInt8]) {
        #expect(parsed(bytes) == nil)
    }

    @Test func aNameThatIsNoHostHasNoText() {
        var bytes = Message.query("a b.test")
        #expect(parsed(bytes)?.name == nil)
        // A pointer is no name for a question, but its length is known.
        bytes = [0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xC0, 12, 0, 1, 0, 1]
        #expect(parsed(bytes)?.name == nil)
    }

    @Test func aResponseWithoutRecordsRepeatsTheQuestion() throws {
        let query = try #require(parsed(Message.query("a.test", type: 65)))
        let bytes = query.response(.noError)
        let answer = try #require(parsed(bytes))
        #expect(answer.answers(query))
        #expect(bytes[3] & 0xF == 0)
        #expect(query.response(.serverFailure)[3] & 0xF == 2)
        #expect(addresses(bytes).isEmpty)
    }

    @Test func aResponseToAnotherQuestionDoesNotAnswer() throws {
        let query = try #require(parsed(Message.query("a.test")))
        let other = try #require(parsed(Message.response("b.test", [Message.v4])))
        let late = try #require(parsed(Message.response("a.test", id: 8, [])))
        #expect(!other.answers(query))
        #expect(!late.answers(query))
    }

    @Test func changedMessagesDoNotTrap() {
        let bytes = Message.response("a.test", [Message.alias, Message.v4, Message.v6])
        for position in bytes.indices {
            for value: UInt8 in [0, 1, 12, 0x3F, 0x40, 0xC0, 0xFF] {
                var changed = bytes
                changed[position] = value
                #expect(addresses(changed).count <= 3)
                _ = parsed(changed)?.response(.noError)
            }
        }
    }
}
