// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@Suite struct HARWebSocketTests {
    func messages(_ json: String) throws -> [StreamMessage] {
        let entry =
            #"{"startedDateTime":"2026-11-20T14:03:00Z","request":{"method":"GET","url":"ws://h"},"#
            + #""_webSocketMessages":[\#(json)]}"#
        var reader = HARReader()
        let bytes = Array(entry.utf8)
        return try reader.read(bytes.span).messages
    }

    @Test(arguments: [(1, "text"), (2, "binary"), (8, "close"), (9, "ping"), (10, "pong")])
    func opcodesBecomeTypes(_ opcode: Int, _ type: String) throws {
        let found = try messages(#"{"type":"send","opcode":\#(opcode),"data":"AAEC"}"#)
        let bytes = opcode == 1 ? Array("AAEC".utf8) : [0, 1, 2]
        var message = StreamMessage(direction: .up, type: type, bytes: bytes, size: bytes.count)
        // The status of a close precedes its reason (RFC 6455 §5.5.1).
        if opcode == 8 {
            message.code = 1
            message.bytes = [2]
        }
        #expect(found == [message])
    }

    @Test func secondsAndMillisecondsAreDistinguished() throws {
        #expect(try messages(#"{"time":1795183381.25}"#)[0].at == Microseconds(1_250_000))
        #expect(try messages(#"{"time":1795183381250}"#)[0].at == Microseconds(1_250_000))
        #expect(try messages(#"{"time":-1}"#)[0].at == nil)
        #expect(try messages("{}")[0].at == nil)
    }

    @Test func dataThatIsNotBase64IsUnchanged() throws {
        #expect(try messages(#"{"opcode":2,"data":"*"}"#)[0].bytes == Array("*".utf8))
    }

    @Test func invalidTimesAreUnknown() throws {
        #expect(try messages(#"{"time":"x","data":"a"}"#)[0].at == nil)
        #expect(try messages(#"{"time":{},"data":"a"}"#)[0].bytes == [0x61])
    }

    /// The name is not part of HAR 1.2, so another tool may use it differently.
    @Test(arguments: [
        #"{"count":3}"#, "1", #"[1]"#, #"[{"data":1}]"#, #"[{"type":"send","data":"a"},"x"]"#,
        #"[{"type":"error","data":"a"},[]]"#,
    ])
    func unexpectedFormsAreKeptUnchanged(_ value: String) throws {
        let text =
            #"{"log":{"entries":[{"request":{"method":"GET","url":"ws://h/"},"#
            + #""_webSocketMessages":\#(value)}]}}"#
        let (exchanges, losses) = try HARRoundTripTests.read(text)
        #expect(exchanges.first?.messages.isEmpty == true)
        #expect(losses.isEmpty)
        let (written, unwritten) = try HARRoundTripTests.write(exchanges)
        #expect(unwritten.isEmpty)
        let entry = try JSONTree(written)["log"]?["entries"]?.elements[0]
        #expect(entry?["_webSocketMessages"] == (try JSONTree(value)))
    }
}
