// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@Suite struct ExtraDecodingTests {
    private func read(_ members: String) throws -> Exchange {
        var reader = NDJSONReader()
        let line = Array(
            (#"{"v":1,"request":{"method":"GET","url":"http://a/"}"# + members + "}").utf8
        )
        return try reader.read(line.span)
    }

    @Test func everyPartRoundTrips() throws {
        var writer = NDJSONWriter()
        writer.write(try #require(seal(fullExchange())))
        var reader = NDJSONReader()
        let bytes = Array(text(writer.bytes).utf8)
        #expect(try reader.read(bytes.span).extra == fullExtra())
    }

    @Test(arguments: [
        "", #","provenance":[]"#, #","notes":null"#, #","grpc":null,"stream":null,"replay":null"#,
    ])
    func emptyPartsAreReadAsNil(_ members: String) throws {
        #expect(try read(members).extra == nil)
    }

    @Test func nullAndUnknownMembersAreSkipped() throws {
        let exchange = try read(
            #","stream":{"client":null,"server":{"id":null,"x":1}},"grpc":{"message":null,"y":[]},"#
                + #""notes":[{"at":null}]"#
        )
        var expected = ExchangeExtra()
        expected.stream = StreamLegs(server: StreamLegs.Leg())
        expected.grpc = GRPCFacts()
        expected.notes = [ExchangeNote()]
        #expect(exchange.extra == expected)
    }

    @Test(arguments: [
        (#","provenance":{}"#, "wrong value of 'provenance'; found an object, expected an array"),
        (#","provenance":[{"took_ms":"1"}]"#, "wrong value of 'took_ms'"),
        (#","provenance":[{"changes":1}]"#, "wrong value of 'changes'"),
        (#","replay":{"of":"x"}"#, "'of'"), (#","replay":{}"#, "'of'"),
        (#","notes":[{"at":"noon"}]"#, "wrong value of 'at'"),
        (#","notes":[1]"#, "wrong value of 'notes'"),
        (#","stream":{"client":{"id":-3}}"#, "wrong value of 'id'"),
        (#","stream":{"client":{"fields":[]}}"#, "wrong value of 'fields'"),
        (#","stream":{"client":{"fields":{"up":-1}}}"#, "wrong value of 'up'"),
        (#","grpc":{"status":1.5}"#, "wrong value of 'status'"),
    ])
    func unexpectedFormsAreErrors(_ members: String, _ message: String) throws {
        let error = #expect(throws: RecordError.self) { try read(members) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}
