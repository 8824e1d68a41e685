// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Collects the members of an entry that the exchange cannot represent, as the JSON object of
/// `Exchange.har`.
///
/// **Shape**: `entry` has the structure of the entry, but only those members that the writer cannot
/// derive from the exchange. An element of a list is identified by its position and name, and has
/// only its members other than name and value: `{"at":2,"name":"Cookie","value":{"comment":"x"}}`.
/// Values of the exchange are never repeated, so that no copy of a redacted value remains. Details
/// of a name are in its `value`, so that rules for names apply to them.
/// **Limits**: members that would exceed `limit` are left out and counted.
struct HARUnmappedMembers: ~Copyable {
    /// A nested object or list that is being written.
    struct Mark {
        fileprivate let count: Int
        fileprivate let start: Int
        fileprivate let isFirst: Bool
        fileprivate let isList: Bool
    }

    var json = JSONWriter(capacity: 1024)
    let limit: Int

    init(limit: Int) { self.limit = max(0, limit) }

    /// Collects from one entry, after the exchange has been read from it.
    mutating func collect(
        _ entry: JSONValue,
        _ exchange: borrowing Exchange,
        _ notes: inout HARNotes
    ) -> ByteString {
        json.removeAll()
        json.beginObject()
        let mark = openObject("entry")
        var members = entry.members
        while let member = members.next() { self.entry(member, exchange, &notes) }
        close(mark)
        if json.count == 1 { return ByteString() }
        json.endObject()
        return ByteString(json.bytes)
    }

    private mutating func entry(
        _ member: JSONMember,
        _ exchange: borrowing Exchange,
        _ notes: inout HARNotes
    ) {
        let key = member.key
        let value = member.value
        if key.matches("request"), value.kind == .object {
            request(value, exchange.request, &notes)
        } else if key.matches("response"), value.kind == .object {
            response(value, exchange, &notes)
        } else if key.matches("timings"), value.kind == .object {
            timings(value, exchange.timing, &notes)
        } else if key.matches("_webSocketMessages") {
            if notes.keepsMessages { keep(member, &notes) } else { webSocket(value, &notes) }
        } else if key.matches("_eventSourceMessages") {
            if notes.keepsEvents { keep(member, &notes) } else { HAREvents.count(value, &notes) }
        } else if key.matches("_tapline") {
            if notes.keepsExtra { keep(member, &notes) }
        } else if !Self.isInExchange(key, value, exchange) {
            keep(member, &notes)
        }
    }

    private static func isInExchange(
        _ key: JSONValue,
        _ value: JSONValue,
        _ exchange: borrowing Exchange
    ) -> Bool {
        if key.matches("startedDateTime") {
            return HARTime.time(value) != nil
        }
        if key.matches("time") {
            return value.asThousandths == HAREncoding.total(exchange.timing)
        }
        if key.matches("cache") { return value.kind == .object && value.tokenCount == 1 }
        if key.matches("serverIPAddress") {
            guard let host = HAREncoding.host(exchange.connection.server) else { return false }
            return value.kind == .string && value.bytes.equals(host)
        }
        if key.matches("comment") { return value.kind == .string && value.bytes.count > 0 }
        if key.matches("_id") || key.matches("_tapline_id") {
            return value.kind == .string && ExchangeID(value.bytes) != nil
        }
        if key.matches("_tags") || key.matches("_tapline_tags") {
            return HARDecoding.areTags(value)
        }
        return key.matches("request") || key.matches("response")
    }

    private mutating func timings(
        _ value: JSONValue,
        _ timing: Timing,
        _ notes: inout HARNotes
    ) {
        let mark = openObject("timings")
        var members = value.members
        while let member = members.next() {
            if let written = HAREncoding.phase(member.key, timing),
                member.value.asThousandths.map({ $0 < 0 ? -1000 : $0 }) == written
            {
                continue
            }
            keep(member, &notes)
        }
        close(mark)
    }

    /// Counts members of WebSocket messages other than their text; they cannot be represented.
    private func webSocket(_ value: JSONValue, _ notes: inout HARNotes) {
        var elements = value.elements
        while let element = elements.next() {
            var members = element.members
            while let member = members.next() {
                let key = member.key
                let isKnown =
                    key.matches("type") || key.matches("time") || key.matches("opcode")
                    || key.matches("data")
                if !isKnown { notes.losses.count("_webSocketMessages.*") }
            }
        }
    }
}

// MARK: - Writing

extension HARUnmappedMembers {
    /// Keeps a member unchanged.
    mutating func keep(_ member: JSONMember, _ notes: inout HARNotes) {
        guard hasRoom(for: member.key.bytes.count + member.value.bytes.count, &notes) else {
            return
        }
        json.key(member.key.bytes)
        json.copy(member.value)
    }

    /// Whether a number of bytes may still be kept; otherwise counts the loss.
    func hasRoom(for count: Int, _ notes: inout HARNotes) -> Bool {
        if json.count + count <= limit { return true }
        notes.losses.count("har (beyond the limit)")
        return false
    }

    /// Opens a nested object, which is removed again if it stays empty.
    mutating func openObject(_ key: StaticString) -> Mark { open(key, isList: false) }

    /// Opens a nested list, which is removed again if it stays empty.
    mutating func openList(_ key: StaticString) -> Mark { open(key, isList: true) }

    private mutating func open(_ key: StaticString, isList: Bool) -> Mark {
        let count = json.count
        let last = json.bytes[count - 1]
        json.key(key)
        if isList { json.beginArray() } else { json.beginObject() }
        return Mark(
            count: count,
            start: json.count,
            isFirst: last == .ascii("{") || last == .ascii("["),
            isList: isList
        )
    }

    /// Closes the innermost object or list.
    mutating func close(_ mark: Mark) {
        if json.count == mark.start {
            json.truncate(to: mark.count, afterValue: !mark.isFirst)
        } else if mark.isList {
            json.endArray()
        } else {
            json.endObject()
        }
    }

    /// Keeps the members of a list element other than name and value.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - ownName: The name that the writer uses; `nil` for the element's own name.
    ///   - position: The position at which the writer puts it in its list.
    ///   - isMark: Whether an element without other members is kept too.
    ///   - notes: Receives the loss if there is no room.
    mutating func keepDetails(
        of element: JSONValue,
        named ownName: [UInt8]? = nil,
        at position: Int,
        isMark: Bool = false,
        _ notes: inout HARNotes
    ) {
        var hasDetails = false
        var members = element.members
        while let member = members.next() { if member.isDetail { hasDetails = true } }
        guard hasDetails || isMark, hasRoom(for: element.bytes.count + 32, &notes) else { return }
        json.beginObject()
        json.key("at")
        json.integer(position)
        json.key("name")
        if let ownName {
            json.string(ownName.span)
        } else if let name = element.member("name"), name.kind == .string {
            json.string(name.bytes)
        } else {
            json.string("" as StaticString)
        }
        if hasDetails {
            json.key("value")
            json.beginObject()
            members = element.members
            while let member = members.next() {
                guard member.isDetail else { continue }
                json.key(member.key.bytes)
                json.copy(member.value)
            }
            json.endObject()
        }
        json.endObject()
    }
}

extension JSONMember {
    /// Whether this is a member of a list element other than name and value.
    var isDetail: Bool { !key.matches("name") && !key.matches("value") }
}
