// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The values that a recorded response handed out, each with the live one at the same place.
///
/// A response paired with itself gives the recorded values alone.
struct IssuedValues {
    /// A value at one place of both responses.
    struct Pair {
        let place: ValuePlace
        let recorded: [UInt8]
        let live: [UInt8]
    }

    /// The most values that are read from a response.
    static let maxValues = 10_000

    private(set) var pairs: [Pair] = []

    init(_ recorded: borrowing Response, _ live: borrowing Response, readsBody: Bool = true) {
        readFields(recorded.fields, live.fields)
        guard readsBody, let former = TokenBody.decoded(recorded.body),
            let now = recorded.body == live.body ? former : TokenBody.decoded(live.body)
        else { return }
        if former.beginsLikeJSON {
            readJSON(former, now)
        } else if recorded.mediaType.description.contains("html") {
            readHTML(former, now)
        }
    }

    /// Reads a message of a server in a WebSocket.
    ///
    /// - Parameters:
    ///   - recorded: The recorded message.
    ///   - live: The live one.
    ///   - isText: Whether they are texts; others are read if they are JSON.
    init(message recorded: [UInt8], _ live: [UInt8], isText: Bool) {
        switch (MessageText(recorded).kind, MessageText(live).kind) {
        case (.json(let start), .json(let other)):
            readJSON(Array(recorded[start...]), Array(live[other...]))
        case (.words, .words) where isText: addText(.text, recorded, live)
        default: break
        }
    }

    mutating func add(_ place: ValuePlace, _ recorded: [UInt8], _ live: [UInt8]) {
        guard !recorded.isEmpty, !live.isEmpty, pairs.count < Self.maxValues else { return }
        pairs.append(Pair(place: place, recorded: recorded, live: live))
    }

    // MARK: Fields

    private mutating func readFields(
        _ recorded: borrowing FieldSection,
        _ live: borrowing FieldSection
    ) {
        for position in recorded.indices {
            let name = recorded.name(at: position)
            let value = recorded.value(at: position)
            if name.equalsIgnoringCase("set-cookie") {
                readCookie(value, live)
            } else if !name.isEmpty, !TokenFields.isIgnoredInResponses(name),
                let match = Self.counterpart(of: position, recorded, live)
            {
                let lowercased = ByteString(lowercasing: name)
                let now = Array(copying: live.value(at: match))
                addText(.header(lowercased), Array(copying: value), now)
            }
        }
    }

    /// The position of the field with the same name and number among those of its name.
    private static func counterpart(
        of position: Int,
        _ recorded: borrowing FieldSection,
        _ live: borrowing FieldSection
    ) -> Int? {
        let name = recorded.name(at: position)
        var before = 0
        var start = 0
        while let found = recorded.firstIndex(of: name, from: start), found < position {
            before += 1
            start = found + 1
        }
        var match = live.firstIndex(of: name)
        while before > 0, let found = match {
            match = live.firstIndex(of: name, from: found + 1)
            before -= 1
        }
        return match
    }

    private mutating func readCookie(_ field: Span<UInt8>, _ live: borrowing FieldSection) {
        guard let pair = CookiePair(field, from: 0), let range = pair.value,
            !pair.name.isEmpty, let now = Self.cookie(field.extracting(pair.name), in: live)
        else { return }
        let value = Array(copying: field.extracting(range))
        let place = ValuePlace.Part.cookie(ByteString(field.extracting(pair.name)))
        add(ValuePlace(place), value, now)
        // Scripts decode a cookie to send it in a field.
        if value.contains(.ascii("%")) {
            add(
                ValuePlace(place, .decoded),
                PercentEncoding.decode(value.span, plusIsSpace: false),
                PercentEncoding.decode(now.span, plusIsSpace: false)
            )
        }
    }

    /// The value of the last Set-Cookie with a name, which is the one that counts.
    private static func cookie(
        _ name: Span<UInt8>,
        in fields: borrowing FieldSection
    ) -> [UInt8]? {
        var result: [UInt8]?
        var start = 0
        while let position = fields.firstIndex(of: "set-cookie", from: start) {
            start = position + 1
            let field = fields.value(at: position)
            guard let pair = CookiePair(field, from: 0), let value = pair.value,
                field.extracting(pair.name).equals(name)
            else { continue }
            result = Array(copying: field.extracting(value))
        }
        return result
    }

    // MARK: URLs

    /// Adds a text and, if it is a URL, its segments and query items.
    mutating func addText(_ part: ValuePlace.Part, _ recorded: [UInt8], _ live: [UInt8]) {
        add(ValuePlace(part), recorded, live)
        guard Self.mayBeURL(recorded), Self.mayBeURL(live) else { return }
        addURL(part, recorded, live)
    }

    mutating func addURL(_ part: ValuePlace.Part, _ recorded: [UInt8], _ live: [UInt8]) {
        let former = URIReference(recorded.span)
        let now = URIReference(live.span)
        let segments = RouteTemplate.split(recorded.span.extracting(former.path))
        let found = RouteTemplate.split(live.span.extracting(now.path))
        for (index, (segment, other)) in zip(segments, found).enumerated() {
            add(
                ValuePlace(part, .segment(index + 1)),
                PercentEncoding.decode(segment.span, plusIsSpace: false),
                PercentEncoding.decode(other.span, plusIsSpace: false)
            )
        }
        guard let query = former.query, let other = now.query else { return }
        var values: [ByteString: [UInt8]] = [:]
        for item in Self.items(live.span.extracting(other)) where values[item.name] == nil {
            values[item.name] = item.value
        }
        for item in Self.items(recorded.span.extracting(query)) {
            guard let value = values[item.name] else { continue }
            add(ValuePlace(part, .query(item.name)), item.value, value)
        }
    }

    static func items(_ query: Span<UInt8>) -> [(name: ByteString, value: [UInt8])] {
        var result: [(name: ByteString, value: [UInt8])] = []
        var items = QueryItems(0..<query.count)
        while let item = items.next(in: query) {
            guard !item.name.isEmpty else { continue }
            let name = PercentEncoding.decode(query.extracting(item.name), plusIsSpace: true)
            let value = PercentEncoding.decode(query.extracting(item.value), plusIsSpace: true)
            result.append((ByteString(name), value))
        }
        return result
    }

    private static func mayBeURL(_ text: [UInt8]) -> Bool {
        let bytes = text.span
        return bytes.count > 1
            && (bytes[0] == .ascii("/") || bytes.starts(withIgnoringCase: "https://")
                || bytes.starts(withIgnoringCase: "http://"))
    }
}
