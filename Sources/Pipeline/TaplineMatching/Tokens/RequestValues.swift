// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel

/// A value in a request, with its place and the bytes that a replacement takes the place of.
struct RequestValue {
    /// How a value is written in its part.
    enum Notation {
        /// Percent-encoded (RFC 3986 §2.1).
        case percent
        /// As it is.
        case plain
        /// A string of JSON, without quotes.
        case string
        /// A number of JSON.
        case number
    }

    /// The part of the request that the range refers to.
    enum Part: Hashable {
        case target
        /// The value of the field at a position.
        case field(Int)
        /// The decoded body.
        case body
    }

    let place: ValuePlace
    /// The decoded value.
    let bytes: [UInt8]
    let part: Part
    /// The value as written in the part.
    let range: Range<Int>
    let notation: Notation
}

/// Reads the values of a request that may be tokens.
struct RequestValues {
    /// The most values that are read from a request.
    static let maxValues = 10_000

    private(set) var values: [RequestValue] = []
    /// The body after its content codings are decoded, or the message; `nil` if it was not read.
    private(set) var body: [UInt8]?
    /// How many bytes precede the JSON that is read.
    private var offset = 0

    /// - Parameters:
    ///   - request: The request.
    ///   - readsBody: Whether the values of the body are needed.
    init(_ request: borrowing Request, readsBody: Bool = true) {
        readTarget(request)
        readFields(request.fields)
        if readsBody, !request.body.bytes.isEmpty { readBody(request) }
    }

    /// Reads a message that a client sends through a WebSocket.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isText: Whether it is a text; the others are read if they are JSON.
    init(message: [UInt8], isText: Bool) {
        body = message
        let content = MessageText(message)
        switch content.kind {
        case .json(let start):
            offset = start
            readJSON(message.span.extracting(start..<message.count))
        case .words where isText:
            add(.text, message, .body, 0..<message.count, .plain)
            readTokens(message.span, .text, .body)
        case .words, .unreadable: break
        }
    }

    private mutating func add(
        _ place: ValuePlace.Part,
        _ bytes: [UInt8],
        _ part: RequestValue.Part,
        _ range: Range<Int>,
        _ notation: RequestValue.Notation
    ) {
        guard !bytes.isEmpty, values.count < Self.maxValues else { return }
        values.append(
            RequestValue(
                place: ValuePlace(place),
                bytes: bytes,
                part: part,
                range: range,
                notation: notation
            )
        )
    }

    // MARK: Head

    private mutating func readTarget(_ request: borrowing Request) {
        let target = request.target.span
        let path = request.pathRange
        var number = 0
        var start = path.lowerBound
        if start < path.upperBound, target[start] == .ascii("/") { start += 1 }
        while start < path.upperBound {
            number += 1
            let end =
                target.extracting(0..<path.upperBound)
                .firstIndex(of: .ascii("/"), from: start) ?? path.upperBound
            let decoded = PercentEncoding.decode(
                target.extracting(start..<end),
                plusIsSpace: false
            )
            add(.segment(number), decoded, .target, start..<end, .percent)
            start = end + 1
        }
        readItems(target, request.queryRange, .target) { .query($0) }
    }

    private mutating func readItems(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ part: RequestValue.Part,
        _ place: (ByteString) -> ValuePlace.Part
    ) {
        var items = QueryItems(range)
        while let item = items.next(in: bytes) {
            guard !item.name.isEmpty, !item.value.isEmpty else { continue }
            let name = PercentEncoding.decode(bytes.extracting(item.name), plusIsSpace: true)
            let value = PercentEncoding.decode(bytes.extracting(item.value), plusIsSpace: true)
            add(place(ByteString(name)), value, part, item.value, .percent)
        }
    }

    private mutating func readFields(_ fields: borrowing FieldSection) {
        for position in fields.indices {
            let name = fields.name(at: position)
            let value = fields.value(at: position)
            if name.equalsIgnoringCase("cookie") {
                readCookies(value, position)
            } else if !name.isEmpty, !TokenFields.isIgnoredInRequests(name) {
                let place = ValuePlace.Part.header(ByteString(lowercasing: name))
                add(place, Array(copying: value), .field(position), 0..<value.count, .plain)
                readTokens(value, place, .field(position))
            }
        }
    }

    private mutating func readCookies(_ field: Span<UInt8>, _ position: Int) {
        var next = 0
        while let pair = CookiePair(field, from: next) {
            next = pair.next
            guard let value = pair.value, !pair.name.isEmpty else { continue }
            add(
                .cookie(ByteString(field.extracting(pair.name))),
                Array(copying: field.extracting(value)),
                .field(position),
                value,
                .plain
            )
        }
    }

    /// Reads the parts of a field's value: `x` of `Bearer x`, of `Token token="x"` and of `"x"`.
    private mutating func readTokens(
        _ value: Span<UInt8>,
        _ place: ValuePlace.Part,
        _ part: RequestValue.Part
    ) {
        var start = 0
        while start < value.count {
            var end = start
            while end < value.count, !Self.endsToken(value[end]) { end += 1 }
            if end > start, end - start < value.count {
                let token = start..<end
                add(place, Array(copying: value.extracting(token)), part, token, .plain)
            }
            // Base64 ends with the sign that separates names and values elsewhere.
            let equals = value.extracting(0..<end).firstIndex(of: .ascii("="), from: start)
            if let equals, equals + 1 < end, value[equals + 1] != .ascii("=") {
                let token = equals + 1..<end
                add(place, Array(copying: value.extracting(token)), part, token, .plain)
            }
            start = end + 1
        }
    }

    private static func endsToken(_ byte: UInt8) -> Bool {
        byte.isBlank || byte == .ascii(",") || byte == .ascii(";") || byte == .ascii("\"")
    }

    // MARK: Body

    private mutating func readBody(_ request: borrowing Request) {
        guard let decoded = TokenBody.decoded(request.body) else { return }
        body = decoded
        let bytes = decoded.span
        if request.mediaType.description == "application/x-www-form-urlencoded" {
            readItems(bytes, 0..<bytes.count, .body) { .form($0) }
        } else if decoded.beginsLikeJSON {
            readJSON(bytes)
        }
    }

    private mutating func readJSON(_ text: Span<UInt8>) {
        var parser = JSONParser(maxDepth: JSONValuePath.maxDepth, surrogates: .replace)
        guard let document = try? parser.parse(text) else { return }
        var path = JSONValuePath()
        readJSON(document.root, &path, text)
    }

    private mutating func readJSON(
        _ value: JSONValue,
        _ path: inout JSONValuePath,
        _ text: Span<UInt8>
    ) {
        switch value.kind {
        case .object:
            var members = value.members
            while let member = members.next() {
                guard let mark = path.enter(member.key.bytes) else { continue }
                readJSON(member.value, &path, text)
                path.leave(mark)
            }
        case .array:
            let mark = path.enterElements()
            var elements = value.elements
            while let element = elements.next() { readJSON(element, &path, text) }
            path.leave(mark)
        case .string:
            let end = TokenBody.endOfString(text, from: value.offset)
            let range = offset + value.offset..<offset + end
            add(.json(path.text), Array(copying: value.bytes), .body, range, .string)
        case .number:
            let start = offset + value.offset
            let range = start..<start + value.bytes.count
            add(.json(path.text), Array(copying: value.bytes), .body, range, .number)
        case .null, .true, .false: break
        }
    }
}

/// The path of a value in a JSON document while it is read; elements of arrays are `[*]`.
struct JSONValuePath {
    /// The deepest nesting that is read.
    static let maxDepth = 128

    private var bytes: [UInt8] = [.ascii("$")]

    /// The path as text.
    var text: ByteString { ByteString(bytes) }

    /// Appends a member; returns what `leave` needs, or `nil` if no path can name it.
    mutating func enter(_ key: Span<UInt8>) -> Int? {
        let mark = bytes.count
        if JSONValuePath.isPlain(key) {
            bytes.append(.ascii("."))
            bytes.append(copying: key)
            return mark
        }
        let quote: UInt8 = key.firstIndex(of: .ascii("'")) == nil ? .ascii("'") : .ascii("\"")
        guard key.firstIndex(of: quote) == nil, !key.isEmpty else { return nil }
        bytes.append(.ascii("["))
        bytes.append(quote)
        bytes.append(copying: key)
        bytes.append(quote)
        bytes.append(.ascii("]"))
        return mark
    }

    mutating func enterElements() -> Int {
        let mark = bytes.count
        bytes.append(copying: "[*]".utf8.span)
        return mark
    }

    mutating func leave(_ mark: Int) { bytes.removeLast(bytes.count - mark) }

    private static func isPlain(_ key: Span<UInt8>) -> Bool {
        guard !key.isEmpty else { return false }
        for index in key.indices {
            let byte = key[index]
            guard byte.isLetter || byte.isDigit || byte == .ascii("_") || byte == .ascii("-") else {
                return false
            }
        }
        return true
    }
}
