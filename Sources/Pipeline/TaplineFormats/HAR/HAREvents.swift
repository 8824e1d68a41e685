// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Server-sent events in Chrome's format.
///
/// They are in `_eventSourceMessages`, each with `time` in seconds since 1970, `eventName`,
/// `eventId` and `data`.
enum HAREvents {
    /// Chrome's name of an event without a type (HTML standard, "dispatch the event").
    private static let plainName = "message"

    static func write(
        _ messages: [StreamMessage],
        _ started: Timestamp,
        to json: inout JSONWriter
    ) {
        json.key("_eventSourceMessages")
        json.beginArray()
        for message in messages where message.isEvent {
            json.beginObject()
            json.key("time")
            let (time, over) = started.microseconds.addingReportingOverflow(message.at?.count ?? 0)
            json.double(Double(over ? started.microseconds : time) / 1_000_000)
            json.key("eventName")
            json.string(message.event.isEmpty ? plainName : message.event)
            json.key("eventId")
            json.string(message.eventID)
            json.key("data")
            json.lossyText(message.bytes.span)
            json.endObject()
        }
        json.endArray()
    }

    /// Reads the events of an entry, after its WebSocket messages; keeps those in an unexpected
    /// form unchanged.
    static func read(_ entry: JSONValue, _ exchange: inout Exchange, _ notes: inout HARNotes) {
        guard let list = entry.member("_eventSourceMessages"), !list.isNull else { return }
        var found = HARNotes()
        do throws(RecordError) {
            exchange.messages += try events(list, exchange.started, &found)
            notes.add(found)
        } catch {
            notes.findings.count("_eventSourceMessages (unexpected form, kept unchanged)")
            notes.keepsEvents = true
        }
    }

    /// Counts members of events that a record cannot represent.
    static func count(_ list: JSONValue, _ notes: inout HARNotes) {
        var elements = list.elements
        while let element = elements.next() {
            var members = element.members
            while let member = members.next() {
                let key = member.key
                let isKnown =
                    key.matches("time") || key.matches("eventName") || key.matches("eventId")
                    || key.matches("data")
                if !isKnown { notes.losses.count("_eventSourceMessages.*") }
            }
        }
    }

    private static func events(
        _ list: JSONValue,
        _ started: Timestamp,
        _ notes: inout HARNotes
    ) throws(RecordError) -> [StreamMessage] {
        try list.requireArray("_eventSourceMessages")
        var result: [StreamMessage] = []
        var elements = list.elements
        while let element = elements.next() {
            try element.requireObject("_eventSourceMessages")
            var message = StreamMessage(direction: .down, type: "event", bytes: [])
            var members = element.members
            while let member = members.next() {
                let key = member.key
                let value = member.value
                if value.isNull { continue }
                if key.matches("time") {
                    message.at = HARWebSocket.time(value, started, &notes)
                } else if key.matches("eventName") {
                    let name = try value.requireText("eventName")
                    message.event = name == plainName ? "" : name
                } else if key.matches("eventId") {
                    message.eventID = try value.requireText("eventId")
                } else if key.matches("data") {
                    message.bytes = Array(copying: try value.requireString("data"))
                }
            }
            result.append(message)
        }
        return result
    }
}
