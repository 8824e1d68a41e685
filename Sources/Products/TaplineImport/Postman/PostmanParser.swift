// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// Reads collections of Postman, format 2.1 and 2.0.
///
/// **Shape**: each example of a request becomes an exchange; a request without examples becomes one
/// without a response. Folders are searched in order.
/// **Limits**: the file is kept as a whole.
final class PostmanParser: ImportParser {
    private let options: ImportOptions
    private var json = JSONParser(maxDepth: 512, surrogates: .replace)
    private var bytes: [UInt8] = []

    init(_ options: ImportOptions) { self.options = options }

    func append(_ chunk: Span<UInt8>, to items: inout ImportedItems) throws(RecordError) {
        guard bytes.count + chunk.count <= options.maxRecordBytes else {
            throw .tooLarge("the collection", options.maxRecordBytes, at: bytes.count)
        }
        bytes.append(copying: chunk)
    }

    func finish(to items: inout ImportedItems) throws(RecordError) -> Bool {
        // Positions stay correct without the byte order mark.
        if bytes.span.hasBytes("\u{FEFF}", at: 0) { bytes.replaceSubrange(0..<3, with: "   ".utf8) }
        var lines = LineCounter()
        do throws(RecordError) {
            try Self.read(bytes, &json, options.fallbackStart, &lines, &items)
            return false
        } catch {
            throw lines.located(error, bytes)
        }
    }

    private static func read(
        _ bytes: [UInt8],
        _ json: inout JSONParser,
        _ fallbackStart: Timestamp,
        _ lines: inout LineCounter,
        _ items: inout ImportedItems
    ) throws(RecordError) {
        let document: JSONDocument
        do {
            document = try json.parse(bytes.span)
        } catch {
            throw RecordError(
                code: error.code == .truncated ? .cutOff : .notJSON,
                message: error.message,
                byte: error.offset
            )
        }
        try read(document, bytes, fallbackStart, &lines, &items)
    }

    /// A folder or a request that is still to be read, and the authorization around it.
    private struct Pending {
        let index: Int
        let auth: Int?
    }

    private static func read(
        _ document: JSONDocument,
        _ bytes: [UInt8],
        _ fallbackStart: Timestamp,
        _ lines: inout LineCounter,
        _ items: inout ImportedItems
    ) throws(RecordError) {
        // Postman's API wraps collections.
        let root = document.value(at: document.root.member("collection")?.index ?? 0)
        guard let list = root.member("item"), list.kind == .array else {
            throw .shape("not a collection of format 2.1; expected the key 'item'", at: root.offset)
        }
        var variables = PostmanVariables()
        if let list = root.member("variable") { variables.read(list) }
        var pending: [Pending] = []
        push(list, PostmanRequest.auth(of: root), &pending)
        var reader = PostmanItem(variables, fallbackStart)
        while let next = pending.popLast() {
            let item = document.value(at: next.index)
            let auth = PostmanRequest.auth(of: item) ?? next.auth
            if let list = item.member("item"), list.kind == .array {
                push(list, auth, &pending)
                continue
            }
            do throws(RecordError) {
                try reader.read(item, document, auth, &items)
            } catch {
                items.add(lines.located(error, bytes), "requests (malformed)")
            }
            if reader.isExhausted(items) {
                throw .shape("the collection is too large; the rest is not read", at: item.offset)
            }
        }
    }

    /// Pushes the elements of a list so that the first one is popped first.
    private static func push(_ list: JSONValue, _ auth: Int?, _ pending: inout [Pending]) {
        var found: [Pending] = []
        var elements = list.elements
        while let element = elements.next() {
            found.append(Pending(index: element.index, auth: auth))
        }
        pending += found.reversed()
    }
}
