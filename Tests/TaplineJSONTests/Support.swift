// SPDX-License-Identifier: MIT

import TaplineJSON

/// A parsed value that can be compared with expectations.
indirect enum Tree: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([Tree])
    case object([Pair])

    struct Pair: Equatable {
        let key: String
        let value: Tree
    }

    init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .number: self = .number(text(value.bytes))
        case .string: self = .string(text(value.bytes))
        case .array:
            var trees: [Tree] = []
            var elements = value.elements
            while let element = elements.next() { trees.append(Tree(element)) }
            self = .array(trees)
        case .object:
            var pairs: [Pair] = []
            var members = value.members
            while let member = members.next() {
                pairs.append(Pair(key: text(member.key.bytes), value: Tree(member.value)))
            }
            self = .object(pairs)
        }
    }
}

func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: array(bytes), as: UTF8.self)
}

func array(_ bytes: Span<UInt8>) -> [UInt8] {
    var copy: [UInt8] = []
    for index in bytes.indices { copy.append(bytes[index]) }
    return copy
}

func parse(
    _ bytes: [UInt8],
    maxDepth: Int = 1024,
    surrogates: JSONParser.Surrogates = .refuse
) throws(JSONError) -> Tree {
    var parser = JSONParser(maxDepth: maxDepth, surrogates: surrogates)
    let document = try parser.parse(bytes.span)
    return Tree(document.root)
}

func parse(_ text: String) throws(JSONError) -> Tree { try parse(Array(text.utf8)) }

/// The error of a parse, or `nil`.
func failure(
    _ bytes: [UInt8],
    maxDepth: Int = 1024,
    surrogates: JSONParser.Surrogates = .refuse
) -> JSONError? {
    do {
        _ = try parse(bytes, maxDepth: maxDepth, surrogates: surrogates)
        return nil
    } catch {
        return error
    }
}
