// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel

/// A JSON text as a value that can be compared and changed.
indirect enum JSONTree: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number as written.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Member])

    struct Member: Equatable, Sendable {
        var key: String
        var value: JSONTree
    }

    struct NotJSON: Error {}

    init(_ text: String) throws {
        var parser = JSONParser(surrogates: .replace)
        let bytes = Array(text.utf8)
        do { self = Self.tree(try parser.parse(bytes.span).root) } catch { throw NotJSON() }
    }

    private static func tree(_ value: JSONValue) -> JSONTree {
        switch value.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .number: return .number(String(decoding: Array(copying: value.bytes), as: UTF8.self))
        case .string: return .string(value.asString ?? "")
        case .array:
            var list: [JSONTree] = []
            var elements = value.elements
            while let element = elements.next() { list.append(tree(element)) }
            return .array(list)
        case .object:
            var list: [Member] = []
            var members = value.members
            while let member = members.next() {
                list.append(Member(key: member.key.asString ?? "", value: tree(member.value)))
            }
            return .object(list)
        }
    }

    /// The text without white space.
    var text: String {
        switch self {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number): return number
        case .string(let string): return Self.quoted(string)
        case .array(let list): return "[" + list.map(\.text).joined(separator: ",") + "]"
        case .object(let list):
            return "{"
                + list.map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ",")
                + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }

    subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var elements: [JSONTree] {
        if case .array(let list) = self { return list }
        return []
    }

    var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The number of values, including this one and all nested ones.
    var count: Int {
        switch self {
        case .array(let list): list.reduce(1) { $0 + $1.count }
        case .object(let list): list.reduce(1) { $0 + $1.value.count }
        default: 1
        }
    }

    /// The tree with the value of one number changed, counted from 0 as by `count`.
    func changing(_ position: Int, _ change: (JSONTree) -> JSONTree) -> JSONTree {
        if position == 0 { return change(self) }
        var left = position - 1
        switch self {
        case .array(var list):
            for index in list.indices {
                if left < list[index].count {
                    list[index] = list[index].changing(left, change)
                    return .array(list)
                }
                left -= list[index].count
            }
        case .object(var list):
            for index in list.indices {
                if left < list[index].value.count {
                    list[index].value = list[index].value.changing(left, change)
                    return .object(list)
                }
                left -= list[index].value.count
            }
        default: break
        }
        return self
    }
}
