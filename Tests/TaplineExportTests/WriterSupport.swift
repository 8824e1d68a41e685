// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineJSON
import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineExport

/// What a writer makes of exchanges.
struct Exported {
    let bytes: [UInt8]
    /// The names of the losses.
    let losses: [String]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(_ writer: any ExportWriter, _ exchanges: [Exchange]) {
        var writer = writer
        var bytes: [UInt8] = []
        var losses = writer.start(to: &bytes)
        for exchange in exchanges {
            losses.add(writer.write(ExportCases.sealed(exchange), to: &bytes))
        }
        losses.add(writer.finish(to: &bytes))
        self.bytes = bytes
        self.losses = losses.losses.map(\.field)
    }

    init(_ format: ExportFormat, _ exchanges: [Exchange]) {
        self.init(format.makeWriter(), exchanges)
    }
}

extension Exchange {
    /// An exchange of shop.test that ended with 200.
    static func shop(
        _ method: ByteString = "GET",
        _ target: ByteString = "/cart?x=1",
        _ fields: FieldSection = ["Host": "shop.test"],
        body: String = "",
        answer: String = "{\"ok\":true}"
    ) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0x0193_1234_5678_7ABC, low: 0x8DEF_0123_4567_89AB),
            started: Timestamp(microseconds: 1_800_000_000_123_456)
        )
        exchange.request = Request(
            method: method,
            target: target,
            scheme: "https",
            authority: "shop.test",
            fields: fields,
            body: body.isEmpty ? Body() : Body(Array(body.utf8))
        )
        exchange.response = Response(
            status: 200,
            fields: ["Content-Type": "application/json"],
            body: Body(Array(answer.utf8))
        )
        exchange.timing.total = Microseconds(15_500)
        return exchange
    }
}

/// A JSON text as a tree of Swift values, for comparisons.
indirect enum Tree: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([Tree])
    case object([String: Tree])

    init(_ bytes: [UInt8]) throws {
        var parser = JSONParser()
        self = Tree(try parser.parse(bytes.span).root)
    }

    private init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .number: self = .number(ByteString(value.bytes).description)
        case .string: self = .string(value.asString ?? "")
        case .array:
            var elements = value.elements
            var trees: [Tree] = []
            while let element = elements.next() { trees.append(Tree(element)) }
            self = .array(trees)
        case .object:
            var members = value.members
            var trees: [String: Tree] = [:]
            while let member = members.next() {
                trees[member.key.asString ?? ""] = Tree(member.value)
            }
            self = .object(trees)
        }
    }

    /// The value at a path of keys and indexes.
    subscript(path: String...) -> Tree? {
        var tree: Tree? = self
        for step in path {
            switch tree {
            case .object(let members): tree = members[step]
            case .array(let elements):
                guard let index = Int(step), elements.indices.contains(index) else { return nil }
                tree = elements[index]
            default: return nil
            }
        }
        return tree
    }
}
