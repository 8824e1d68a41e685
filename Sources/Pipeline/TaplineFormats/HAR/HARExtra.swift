// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The member `_tapline`: parts that HAR cannot represent and few exchanges have.
///
/// Its keys are those of the record schema.
enum HARExtra {
    static func has(_ exchange: borrowing Exchange) -> Bool {
        exchange.hasExtra || exchange.timing.firstEvent != nil
    }

    /// The texts of notes, which are the comment of an entry that has no other one.
    static func comment(of exchange: borrowing Exchange) -> String? {
        guard exchange.hasExtra, let notes = exchange.extra?.notes else { return nil }
        let texts = notes.map(\.text).filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    static func write(_ exchange: borrowing Exchange, to json: inout JSONWriter) {
        json.key("_tapline")
        json.beginObject()
        json.milliseconds("first_event_ms", exchange.timing.firstEvent)
        if let extra = exchange.extra { ExtraEncoding.members(extra, to: &json) }
        json.endObject()
    }

    /// Whether an entry has a tag `comment`.
    private static func hasTag(_ entry: JSONValue) -> Bool {
        for name in ["_tapline_tags", "_tags"] as [StaticString] {
            if let tags = entry.member(name), tags.member("comment") != nil { return true }
        }
        return false
    }

    /// Reads the member of an entry; keeps one in an unexpected form unchanged.
    static func read(_ entry: JSONValue, _ exchange: inout Exchange, _ notes: inout HARNotes) {
        guard let value = entry.member("_tapline"), !value.isNull else { return }
        do throws(RecordError) {
            try value.requireObject("_tapline")
            var extra = ExchangeExtra()
            var firstEvent: Microseconds?
            var members = value.members
            while let member = members.next() {
                if member.value.isNull { continue }
                if member.key.matches("first_event_ms") {
                    firstEvent = try member.value.requireMilliseconds("first_event_ms")
                } else if ExtraDecoding.keys.contains(where: { member.key.matches($0) }) {
                    try ExtraDecoding.member(member.key, member.value, &extra)
                } else {
                    notes.losses.count("_tapline.*")
                }
            }
            exchange.extra = extra
            exchange.timing.firstEvent = firstEvent
            // The comment repeats the notes, unless a tag has the same text.
            if let comment = exchange.tags["comment"], comment == Self.comment(of: exchange),
                !hasTag(entry)
            {
                exchange.tags["comment"] = nil
            }
        } catch {
            notes.findings.count("_tapline (unexpected form, kept unchanged)")
            notes.keepsExtra = true
        }
    }
}
