// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import OTLPSink

@Suite("Messages of Protocol Buffers")
struct ProtobufTests {
    @Test("have the bytes that the specification of the encoding says")
    func encoding() {
        var writer = ProtobufWriter()
        writer.number(1, 150)
        writer.string(2, "testing")
        writer.fixed64(3, 1)
        writer.fixed32(4, 0x0102_0304)
        writer.bytes(5, [0xFF])
        writer.number(16, UInt64.max)
        let expected: [UInt8] = [
            0x08, 0x96, 0x01,
            0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67,
            0x19, 1, 0, 0, 0, 0, 0, 0, 0,
            0x25, 4, 3, 2, 1,
            0x2A, 1, 0xFF,
            0x80, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01,
        ]
        #expect(writer.bytes == expected)
    }

    @Test("leave out defaults, but not in a choice of fields")
    func defaults() {
        var writer = ProtobufWriter()
        writer.number(1, 0)
        writer.string(2, "")
        writer.bytes(3, [])
        writer.fixed64(4, 0)
        writer.fixed32(5, 0)
        #expect(writer.bytes.isEmpty)
        writer.chosenString(1, "")
        writer.chosenInteger(3, 0)
        writer.message(6) { _ in }
        #expect(writer.bytes == [0x0A, 0, 0x18, 0, 0x32, 0])
    }

    @Test("nest, whatever the number of bytes of their lengths", arguments: [0, 127, 128, 20_000])
    func nesting(count: Int) throws {
        let text = String(repeating: "x", count: count)
        var writer = ProtobufWriter()
        writer.message(1) { writer in
            writer.message(2) { $0.chosenString(3, text) }
            writer.chosenInteger(4, -1)
        }
        writer.number(5, 7)
        let fields = Fields(writer.bytes)
        let inner = try #require(fields.messages(1).first)
        #expect(inner.messages(2).first?.text(3) == text)
        #expect(inner.number(4) == UInt64.max && fields.number(5) == 7)
    }

    @Test("that are cut or random are read without a trap")
    func hostile() {
        var random = Random(seed: 1)
        for count in 0..<2000 {
            let bytes = (0..<(count % 40)).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Fields(bytes).all.count <= bytes.count)
        }
        #expect(
            Fields([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]).all.isEmpty
        )
        #expect(Fields([UInt8](repeating: 0xFF, count: 30)).all.isEmpty)
        #expect(Fields([0x09, 1, 2]).all.isEmpty && Fields([0x0B]).all.isEmpty)
    }
}

@Suite("The field traceparent")
struct TraceParentTests {
    private static let value = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private static func parse(_ value: String) -> TraceParent? { TraceParent(value.utf8.span) }

    @Test("names trace, span and flags")
    func valid() throws {
        let parent = try #require(Self.parse(Self.value))
        #expect(parent.trace == TraceID(high: 0x4BF9_2F35_77B3_4DA6, low: 0xA3CE_929D_0E0E_4736))
        #expect(parent.span == 0x00F0_67AA_0BA9_02B7 && parent.flags == 1)
        let later = "cc" + Self.value.dropFirst(2) + "-what the future brings"
        #expect(Self.parse(later) == parent)
    }

    @Test(
        "that is invalid is ignored",
        arguments: [
            "", "[redacted]", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            "00x4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ]
    )
    func invalid(value: String) { #expect(Self.parse(value) == nil) }

    @Test("that is repeated is ignored")
    func repeated() {
        #expect(TraceParent(["traceparent": Self.value]) != nil)
        #expect(TraceParent(["traceparent": Self.value, "Traceparent": Self.value]) == nil)
    }
}
