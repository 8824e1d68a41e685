// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineProtobuf
import Testing

/// Messages and bodies for tests.
enum GRPCBodies {
    static func message(_ parts: (Int, [UInt8])...) -> [UInt8] {
        var bytes: [UInt8] = []
        for (number, content) in parts {
            ProtobufWriter.append(number, content.span, to: &bytes)
        }
        return bytes
    }

    static func varint(_ number: Int, _ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        ProtobufWriter.append(tag: number, .varint, to: &bytes)
        ProtobufWriter.append(varint: value, to: &bytes)
        return bytes
    }

    static func group(_ number: Int, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        ProtobufWriter.append(tag: number, .group, to: &bytes)
        bytes += content
        ProtobufWriter.append(tag: number, .endOfGroup, to: &bytes)
        return bytes
    }

    static func frame(_ bytes: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        let count = UInt32(bytes.count)
        return [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) }
            + bytes
    }

    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        GRPCWebText.encode(bytes.span, appendingTo: &output)
        return output
    }

    static func coded(_ bytes: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
        var output: [UInt8] = []
        try ContentEncoder(coding).encodeWhole(bytes.span, appendingTo: &output)
        return output
    }

    static func holds(_ bytes: [UInt8], _ wanted: [UInt8]) -> Bool {
        guard !wanted.isEmpty, bytes.count >= wanted.count else { return false }
        var start = 0
        while let first = bytes[start...].firstIndex(of: wanted[0]) {
            if bytes[first...].starts(with: wanted) { return true }
            start = first + 1
        }
        return false
    }
}

/// A `FileDescriptorSet` that is written by a test.
struct DescriptorSet {
    struct Field {
        var name: String
        var number: Int
        var type: ProtobufValueType
        var typeName = ""
        var isRepeated = false
    }

    private var file: [UInt8] = []

    /// Begins a file of a package.
    init(package: String) {
        ProtobufWriter.append(2, package.utf8.span, to: &file)
    }

    /// Adds a message type.
    mutating func add(_ name: String, _ fields: [Field], isMapEntry: Bool = false) {
        var type: [UInt8] = []
        ProtobufWriter.append(1, name.utf8.span, to: &type)
        for field in fields {
            var content: [UInt8] = []
            ProtobufWriter.append(1, field.name.utf8.span, to: &content)
            content += GRPCBodies.varint(3, UInt64(field.number))
            content += GRPCBodies.varint(4, field.isRepeated ? 3 : 1)
            content += GRPCBodies.varint(5, field.type.rawValue)
            if !field.typeName.isEmpty {
                ProtobufWriter.append(6, ".\(field.typeName)".utf8.span, to: &content)
            }
            ProtobufWriter.append(2, content.span, to: &type)
        }
        if isMapEntry { ProtobufWriter.append(7, GRPCBodies.varint(7, 1).span, to: &type) }
        ProtobufWriter.append(4, type.span, to: &file)
    }

    /// Adds a service; the types of its methods have full names.
    mutating func add(
        service name: String,
        _ methods: [(name: String, input: String, output: String)]
    ) {
        var service = GRPCBodies.message((1, Array(name.utf8)))
        for method in methods {
            let types = [".\(method.input)", ".\(method.output)"].map { Array($0.utf8) }
            let content = GRPCBodies.message(
                (1, Array(method.name.utf8)),
                (2, types[0]),
                (3, types[1])
            )
            ProtobufWriter.append(2, content.span, to: &service)
        }
        ProtobufWriter.append(6, service.span, to: &file)
    }

    /// Adds an enum with one value.
    mutating func addEnum(_ name: String) {
        let value = GRPCBodies.message((1, Array("\(name)_ZERO".utf8))) + GRPCBodies.varint(2, 0)
        ProtobufWriter.append(
            5,
            GRPCBodies.message((1, Array(name.utf8)), (2, value)).span,
            to: &file
        )
    }

    /// The serialized set.
    var bytes: [UInt8] { GRPCBodies.message((1, file)) }
}
