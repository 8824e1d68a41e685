// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineProtobuf
import TestSupport

/// The messages and descriptors of `Fixtures`.
enum Fixture {
    static func bytes(_ name: String) throws -> [UInt8] {
        try TestFiles.bytes(of: TestFiles.fixture(name))
    }

    static func schema() throws -> ProtobufSchema {
        let descriptors = try bytes("shop.binpb")
        return try ProtobufSchema(descriptors.span)
    }
}

/// Builds messages field by field.
struct Message {
    var bytes: [UInt8] = []

    func varint(_ number: Int, _ value: UInt64) -> Message {
        var message = self
        ProtobufWriter.append(tag: number, .varint, to: &message.bytes)
        ProtobufWriter.append(varint: value, to: &message.bytes)
        return message
    }

    func data(_ number: Int, _ value: [UInt8]) -> Message {
        var message = self
        ProtobufWriter.append(number, value.span, to: &message.bytes)
        return message
    }

    func text(_ number: Int, _ value: String) -> Message { data(number, Array(value.utf8)) }

    func group(_ number: Int, _ content: Message) -> Message {
        var message = self
        ProtobufWriter.append(tag: number, .group, to: &message.bytes)
        message.bytes += content.bytes
        ProtobufWriter.append(tag: number, .endOfGroup, to: &message.bytes)
        return message
    }
}

func json(_ bytes: [UInt8], limits: ProtobufLimits = ProtobufLimits()) -> String {
    var view = ProtobufView(limits: limits)
    return String(decoding: view.json(bytes.span), as: UTF8.self)
}
