// SPDX-License-Identifier: MIT

import TaplineModel

/// Compares a HAR file with Tapline's version of it; only values that the page about formats lists
/// may be missing.
enum HARComparison {
    /// The places of values that are missing or differ.
    static func missing(of original: JSONTree, in written: JSONTree) -> [String] {
        guard let log = original["log"], let other = written["log"] else { return ["log"] }
        return compare(log, other, "log")
    }

    private static func compare(_ left: JSONTree, _ right: JSONTree, _ path: String) -> [String] {
        switch (left, right) {
        case (.object(let members), .object):
            return members.flatMap { member in
                compare(member, of: left, right, "\(path).\(member.key)")
            }
        case (.array, .array):
            let left = path.hasSuffix("headers") ? fields(left.elements) : left.elements
            let right = right.elements
            guard left.count <= right.count else { return ["\(path): count"] }
            return left.indices.flatMap { compare(left[$0], right[$0], "\(path)[\($0)]") }
        case (.number(let left), .number(let right)):
            guard let left = Double(left), let right = Double(right) else { return [path] }
            return abs(left - right) <= 0.001 ? [] : [path]
        default:
            return left == right ? [] : ["\(path): \(left) is now \(right)"]
        }
    }

    private static func compare(
        _ member: JSONTree.Member,
        of object: JSONTree,
        _ written: JSONTree,
        _ path: String
    ) -> [String] {
        switch member.key {
        case "creator" where path == "log.creator":
            return compare(member.value, written["_creator"] ?? .null, path)
        case "startedDateTime" where path.hasPrefix("log.entries"):
            let left = member.value.string.flatMap { Timestamp(rfc3339: $0) }
            let right = written[member.key]?.string.flatMap { Timestamp(rfc3339: $0) }
            return left == right ? [] : [path]
        case "httpVersion", "_webSocketMessages":
            return []
        case "url":
            // An empty path is written as `/`.
            let text = member.value.string ?? ""
            let other = written["url"]?.string
            return text == other || "\(text)/" == other ? [] : [path]
        case "statusText", "mimeType":
            // Tools write null for empty text.
            if member.value == .null { return [] }
        case "text" where object["encoding"]?.string == "base64":
            // Tools insert line breaks.
            let text = member.value.string?.filter { !$0.isWhitespace }
            return text == written["text"]?.string ? [] : [path]
        case "value" where object["fileName"] != nil || member.value == .null:
            // The value of a part is only in the text.
            return []
        default: break
        }
        guard let value = written[member.key] else { return [path] }
        return compare(member.value, value, path)
    }

    /// One field per value: without pseudo-header fields, lists and multi-line values.
    private static func fields(_ headers: [JSONTree]) -> [JSONTree] {
        headers.flatMap { header -> [JSONTree] in
            guard case .object(let members) = header,
                header["name"]?.string?.hasPrefix(":") != true
            else { return [] }
            var values = header["value"]?.elements ?? []
            if let text = header["value"]?.string {
                values = text.split(separator: "\n").map { .string(String($0)) }
            }
            return values.enumerated().map { index, value in
                .object(
                    members.compactMap {
                        if $0.key == "value" { return .init(key: "value", value: value) }
                        return $0.key == "name" || index == 0 ? $0 : nil
                    }
                )
            }
        }
    }
}
