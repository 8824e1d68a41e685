// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Shows GraphQL requests in JSON: the query as GraphQL, and the other members as JSON.
///
/// **Source**: GraphQL over HTTP, section "Request parameters".
enum GraphQLRequest {
    /// Shows a request, or a list of requests.
    ///
    /// - Returns: `false` if the document is none; then nothing is written.
    static func write<Strings: JSONStringWriter & ~Copyable>(
        _ document: JSONDocument,
        strings: inout Strings,
        to lines: inout PrettyText
    ) -> Bool {
        let root = document.root
        if isRequest(root) {
            write(document, root, 0, &strings, &lines)
            return true
        }
        guard root.kind == .array, root.tokenCount > 1 else { return false }
        var elements = root.elements
        while let element = elements.next() {
            guard isRequest(element) else { return false }
        }
        elements = root.elements
        var number = 0
        while !lines.isDone, let element = elements.next() {
            number += 1
            lines.begin()
            lines.put("request \(number)", .bold)
            lines.end()
            write(document, element, 1, &strings, &lines)
        }
        return true
    }

    /// Whether an object has a document as its member `query`, and no members of other formats.
    private static func isRequest(_ value: JSONValue) -> Bool {
        guard value.kind == .object else { return false }
        var hasQuery = false
        var members = value.members
        while let member = members.next() {
            if member.key.matches("query"), member.value.kind == .string, !hasQuery {
                guard GraphQLPrinter.isDocument(member.value.bytes) else { return false }
                hasQuery = true
            } else if !isKnown(member.key) {
                return false
            }
        }
        return hasQuery
    }

    private static func isKnown(_ key: JSONValue) -> Bool {
        key.matches("variables") || key.matches("operationName") || key.matches("extensions")
            || key.matches("id") || key.matches("documentId")
    }

    private static func write<Strings: JSONStringWriter & ~Copyable>(
        _ document: JSONDocument,
        _ request: JSONValue,
        _ level: Int,
        _ strings: inout Strings,
        _ lines: inout PrettyText
    ) {
        var members = request.members
        while !lines.isDone, let member = members.next() {
            lines.begin(level)
            lines.showJSONString(member.key.bytes, .cyan)
            lines.end()
            if member.key.matches("query") {
                GraphQLPrinter.write(member.value.bytes, level + 1, to: &lines)
            } else {
                var layout = JSONLayout(level: level + 1)
                layout.write(document, at: member.value.index, strings: &strings, to: &lines)
            }
        }
    }
}
