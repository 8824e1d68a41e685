// SPDX-License-Identifier: MIT

package import TaplineJSON
package import TaplineModel

/// Writes the parts that few exchanges have as JSON.
///
/// NDJSON, SQLite's `extra` and HAR's `_tapline` contain the same members.
package enum ExtraEncoding {
    /// Writes a member for each known part into an open object.
    package static func members(_ extra: ExchangeExtra, to json: inout JSONWriter) {
        if !extra.provenance.isEmpty {
            json.key("provenance")
            json.beginArray()
            for step in extra.provenance { ProvenanceEncoding.step(step, to: &json) }
            json.endArray()
        }
        if let replay = extra.replay {
            json.key("replay")
            self.replay(replay, to: &json)
        }
        if !extra.notes.isEmpty {
            json.key("notes")
            json.beginArray()
            for note in extra.notes { self.note(note, to: &json) }
            json.endArray()
        }
        if let stream = extra.stream {
            json.key("stream")
            json.beginObject()
            if let leg = stream.client { self.leg("client", leg, to: &json) }
            if let leg = stream.server { self.leg("server", leg, to: &json) }
            json.endObject()
        }
        if let grpc = extra.grpc {
            json.key("grpc")
            json.beginObject()
            json.text("service", grpc.service)
            json.text("method", grpc.method)
            json.count("status", grpc.status)
            json.text("message", grpc.message)
            json.endObject()
        }
    }

    private static func replay(_ replay: ReplayFacts, to json: inout JSONWriter) {
        var text: [UInt8] = []
        replay.original.append(to: &text)
        json.beginObject()
        json.key("of")
        json.string(text.span)
        moment("due_at", replay.due, to: &json)
        moment("sent_at", replay.sent, to: &json)
        json.count("status", replay.status)
        json.endObject()
    }

    private static func note(_ note: ExchangeNote, to json: inout JSONWriter) {
        json.beginObject()
        json.text("text", note.text)
        json.text("by", note.author)
        json.text("mark", note.mark)
        moment("at", note.at, to: &json)
        json.endObject()
    }

    private static func leg(
        _ name: StaticString,
        _ leg: StreamLegs.Leg,
        to json: inout JSONWriter
    ) {
        json.key(name)
        json.beginObject()
        json.count("id", leg.id)
        json.text("version", leg.version)
        if let fields = leg.fields {
            json.key("fields")
            json.beginObject()
            json.count("up", fields.up)
            json.count("down", fields.down)
            json.endObject()
        }
        json.endObject()
    }

    private static func moment(
        _ name: StaticString,
        _ moment: Timestamp?,
        to json: inout JSONWriter
    ) {
        guard let moment else { return }
        var text: [UInt8] = []
        moment.appendRFC3339(to: &text)
        json.key(name)
        json.string(text.span)
    }
}
