// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct RecordDecodingTests {
    func read(_ line: String) throws(RecordError) -> Exchange {
        var reader = NDJSONReader()
        let bytes = Array(line.utf8)
        return try reader.read(bytes.span)
    }

    func failure(_ line: String) -> RecordError? {
        do {
            _ = try read(line)
            return nil
        } catch {
            return error
        }
    }

    @Test func readsTheSmallestRecord() throws {
        let exchange = try read(#"{"v":1,"request":{"method":"GET","url":"http://h"}}"#)
        #expect(exchange.id == ExchangeID(high: 0, low: 0))
        #expect(exchange.state == .failed)
        #expect(exchange.request == Request(target: "/", authority: "h", version: ""))
        #expect(exchange.response == nil)
    }

    /// Found by fuzzing: an empty type was kept but not written, and was read back as another one.
    @Test func anEmptyTypeOfAMessageIsAbsent() throws {
        let exchange = try read(
            #"{"v":1,"request":{"method":"GET","url":"http://h"},"messages":[{"type":""},{}]}"#
        )
        #expect(exchange.messages.count == 2)
        #expect(exchange.messages.first == exchange.messages.last)
        #expect(exchange.messages.first?.type == "text")
    }

    @Test func skipsUnknownKeysAndNull() throws {
        let exchange = try read(
            #"""
            {"x":{"deep":[1,{"y":2}]},"v":1,"source":null,"timing":{"zzz_ms":"?","dns_ms":null},
             "request":{"method":"GET","url":"http://h/","headers":null,"cookies":[1],
              "body":{"text":"a","note":true,"size":null}},"response":null,"bytes":{"up":{"q":1}},
             "messages":[{"dir":"up","opcode":1}],"original":{"z":1},"tls":{"z":1}}
            """#
        )
        #expect(exchange.request.body == Body(bytes: [0x61], size: nil))
        #expect(exchange.bytes == ByteCounts())
        #expect(exchange.messages.count == 1)
        #expect(exchange.state == .failed)
    }

    @Test func lastOfDuplicateKeysIsUsed() throws {
        let exchange = try read(
            #"{"v":1,"source":"a","source":"b","request":{"method":"GET","url":"http://h"}}"#
        )
        #expect(exchange.source == "b")
    }

    @Test(arguments: [
        ("[]", 0), (#""x""#, 1), ("{}", 0), (#"{"v":1}"#, 0), (#"{"v":2,"request":{}}"#, 5),
        (#"{"v":"1"}"#, 6), (#"{"request":{"method":"GET","url":"/"}}"#, 0),
        (#"{"v":1,"request":[]}"#, 17), (#"{"v":1,"request":{"method":"GET"}}"#, 17),
        (#"{"v":1,"request":{"url":"http://h"}}"#, 17),
        (#"{"v":1,"request":{"method":1,"url":"http://h"}}"#, 27),
        (#"{"v":1,"request":{"method":"GET","url":1}}"#, 39),
    ])
    func invalidRecordsAreErrors(_ line: String, _ byte: Int) throws {
        let error = try #require(failure(line))
        #expect(error.code == .wrongShape)
        #expect(error.byte == byte, "\(error)")
    }

    @Test func tooManyTagsAreRejected() throws {
        let tags = (0..<2000).map { #""k\#($0)":"v""# }.joined(separator: ",")
        let error = failure(
            #"{"v":1,"request":{"method":"GET","url":"http://h"},"tags":{\#(tags)}}"#
        )
        #expect(error?.message.contains("too many tags") == true)
    }
}
