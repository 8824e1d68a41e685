// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import TaplineProtobuf
import TestSupport
import Testing

@Suite struct ProtobufViewTests {
    @Test func aMessageWithASchemaIsTheJSONOfProtobuf() throws {
        let schema = try Fixture.schema()
        var view = ProtobufView(schema)
        let order = try Fixture.bytes("order.binpb")
        let found = view.json(order.span, as: schema.message(named: "shop.v1.Order"))
        let expected = try Fixture.bytes("order.json").dropLast()
        #expect(String(decoding: found, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    }

    @Test(
        arguments: [
            (Message().varint(1, 150), #"{"1":{"uint":150,"int":150,"sint":75}}"#),
            (Message().varint(1, 1), #"{"1":{"uint":1,"int":1,"sint":-1,"bool":true}}"#),
            (
                Message().varint(9, .max),
                #"{"9":{"uint":"18446744073709551615","int":-1,"sint":"-9223372036854775808"}}"#
            ), (Message().text(2, "hello"), #"{"2":{"text":"hello"}}"#),
            (Message().text(2, ""), #"{"2":{"text":""}}"#),
            (
                Message().data(3, [3, 0x8E, 0x02]),
                #"{"3":{"packed":[3,270],"bytes":"A44C"}}"#
            ),
            (
                Message().data(1, Message().varint(1, 2).bytes),
                #"{"1":{"message":{"1":{"uint":2,"int":2,"sint":1}},"packed":[8,2]}}"#
            ),
            // A string that also parses as a message: both readings are listed.
            (
                Message().data(1, [0x0A, 0x01, 0x61]),
                #"{"1":{"message":{"1":{"text":"a"}},"packed":[10,1,97]}}"#
            ),
            (
                Message().text(1, "\n\tGGGGGGGGG"),
                #"{"1":{"text":"\n\tGGGGGGGGG","message":{"1":{"text":"GGGGGGGGG"}}}}"#
            ),
            (Message().group(4, Message().text(1, "x")), #"{"4":{"group":{"1":{"text":"x"}}}}"#),
            (
                Message().text(1, "a").varint(2, 0).text(1, "b"),
                #"{"1":[{"text":"a"},{"text":"b"}],"2":{"uint":0,"int":0,"sint":0,"bool":false}}"#
            ),
            (
                Message(bytes: [0x0D, 0, 0, 0x80, 0x3F]),
                #"{"1":{"fixed32":1065353216,"sfixed32":1065353216,"float":1}}"#
            ),
            (
                Message(bytes: [0x09, 0, 0, 0, 0, 0, 0, 0xF0, 0xBF]),
                #"{"1":{"fixed64":"13830554455654793216","sfixed64":"-4616189618054758400","double":-1}}"#
            ),
            (
                Message(bytes: [0x08, 1, 0x00]),
                #"{"1":{"uint":1,"int":1,"sint":-1,"bool":true},"$error":"invalid_tag","$rest":"AA=="}"#
            ),
        ]
    )
    func aMessageWithoutASchemaHasAllReadings(message: Message, expected: String) {
        #expect(json(message.bytes) == expected)
    }

    @Test func aFieldThatTheSchemaLacksIsShownByNumber() throws {
        let schema = try Fixture.schema()
        var view = ProtobufView(schema)
        let message = Message().text(1, "a").text(99, "b").text(2, "c").varint(1, 7)
        let item = try #require(schema.message(named: "shop.v1.Item"))
        let found = String(decoding: view.json(message.bytes.span, as: item), as: UTF8.self)
        // Field 1 also has a number, field 2 is text instead of a number.
        let one = #"[{"text":"a"},{"uint":7,"int":7,"sint":-4}]"#
        #expect(found == #"{"1":\#(one),"99":{"text":"b"},"2":{"text":"c"}}"#)
    }

    @Test func aViewStaysWithinItsLimits() {
        var limits = ProtobufLimits()
        limits.maxViewBytes = 1_000
        var message = Message()
        for _ in 0..<1_000 { message = message.text(1, "0123456789") }
        let found = json(message.bytes, limits: limits)
        #expect(found.utf8.count < 1_200 && found.hasSuffix(#""$truncated":true}"#))
        var deep: [UInt8] = []
        for _ in 0..<200 { deep = Message().data(1, deep).bytes }
        #expect(json(deep).utf8.count < 200_000)
    }

    @Test func aDescriptorOfServicesNamesTheTypesOfACall() throws {
        let schema = try Fixture.schema()
        let order = schema.message(named: "shop.v1.Order")
        let item = schema.message(named: "shop.v1.Item")
        #expect(order != nil && item != nil)
        #expect(schema.methods["/shop.v1.Orders/Get"]?.input == item)
        #expect(schema.methods["/shop.v1.Orders/Get"]?.output == order)
        #expect(schema.methods["/shop.v1.Orders/Other"] == nil)
        #expect(schema.methods["/shop.v1.Orders/Watch"]?.streamsRequests == true)
        #expect(schema.methods["/shop.v1.Orders/Get"]?.streamsResponses == false)
    }

    @Test(
        arguments: [
            ("application/grpc+proto; proto=shop.v1.Order", "/shop.v1.Orders/Get", "shop.v1.Item"),
            (
                "application/x-protobuf; messageType=\"shop.v1.Order\"",
                "/shop.v1.Orders/Get?a=/b/c",
                "shop.v1.Item"
            ),
            ("application/grpc", "/v2/shop.v1.Orders/Get", "shop.v1.Item"),
            ("application/grpc; proto=shop.v1.Order", "/shop.v1.Orders/Other", "shop.v1.Order"),
            ("application/x-protobuf; messageType=shop.v1.Order", "/", "shop.v1.Order"),
            ("application/x-protobuf; messageType=shop.v1.Other", "/", nil),
        ] as [(String, String, String?)]
    )
    func theMethodDeterminesTheTypeBeforeAParameter(
        type: String,
        target: String,
        expected: String?
    ) throws {
        let schema = try Fixture.schema()
        let found = schema.messageType(
            contentType: type.utf8.span,
            target: target.utf8.span,
            isRequest: true
        )
        #expect(found == expected.flatMap { schema.message(named: $0) })
        #expect((found == nil) == (expected == nil))
    }

    @Test func damagedDescriptorsAreErrors() throws {
        let bytes = try Fixture.bytes("shop.binpb")
        var failures = 0
        for count in stride(from: 0, to: bytes.count, by: 7) {
            let part = Array(bytes[..<count])
            do throws(ProtobufError) {
                _ = try ProtobufSchema(part.span)
            } catch {
                failures += 1
            }
        }
        #expect(failures > 400)
    }
}
