// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import Testing

@testable import OTLPSink

/// A decoded message of Protocol Buffers: its fields in order, read by hand.
struct Fields {
    private(set) var all: [(field: UInt64, value: ProtobufReader.Value)] = []

    init(_ bytes: some Sequence<UInt8>) {
        var reader = ProtobufReader(Array(bytes)[...])
        while let next = reader.next() { all.append(next) }
    }

    /// The bytes of each field with a number.
    func bytes(_ field: UInt64) -> [[UInt8]] {
        all.compactMap {
            if $0.field == field, case .bytes(let bytes) = $0.value { Array(bytes) } else { nil }
        }
    }

    /// The messages of a field.
    func messages(_ field: UInt64) -> [Fields] { bytes(field).map { Fields($0) } }

    /// The text of a field; `nil` without the field.
    func text(_ field: UInt64) -> String? {
        bytes(field).first.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The number of a field; `nil` without the field.
    func number(_ field: UInt64) -> UInt64? {
        for (number, value) in all {
            if number == field, case .varint(let value) = value { return value }
        }
        return nil
    }

    /// The attributes in a field, with numbers and lists as texts.
    func attributes(_ field: UInt64) -> [String: String] {
        var attributes: [String: String] = [:]
        for attribute in messages(field) {
            guard let name = attribute.text(1), let value = attribute.messages(2).first else {
                Issue.record("an attribute without a name or a value")
                continue
            }
            let list = value.messages(5).first?.messages(1).compactMap { $0.text(1) }
            attributes[name] =
                value.text(1) ?? value.number(3).map { "\($0)" } ?? list?.joined(separator: "|")
        }
        return attributes
    }
}

/// Builds the sink from its options in YAML.
func factory(_ options: String) throws -> any SinkFactory {
    var diagnostics = Diagnostics()
    let node = ConfigReader().read(Array(options.utf8), name: "p.yaml", into: &diagnostics)
    let schema = SinkPlugin.otlp.description.options
    let decoded = node.flatMap {
        schema.decode($0, owner: "otlp", into: &diagnostics, environment: Environment())
    }
    var context = BuildContext(id: "out")
    let factory = decoded.flatMap { SinkPlugin.otlp.build($0, &context) }
    return try #require(factory, "\(diagnostics.all) \(context.diagnostics.all)")
}

/// Records of some exchanges.
func records(_ exchanges: [Exchange]) -> [Record] {
    var chain = RecordChain()
    return exchanges.compactMap {
        if case .sealed(let record) = chain.seal($0) { record } else { nil }
    }
}
