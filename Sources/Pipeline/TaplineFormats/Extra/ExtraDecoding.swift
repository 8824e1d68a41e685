// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Parses the parts that few exchanges have from JSON.
enum ExtraDecoding {
    /// The keys that `member` reads.
    static let keys: [StaticString] = ["provenance", "replay", "notes", "stream", "grpc"]

    /// Parses a member, if it is one of these.
    ///
    /// - Returns: Whether it is.
    static func member(
        _ key: JSONValue,
        _ value: JSONValue,
        _ exchange: inout Exchange
    ) throws(RecordError) -> Bool {
        // Checking the length first rules out most other keys of a record.
        guard 4...10 ~= key.bytes.count, keys.contains(where: { key.matches($0) }) else {
            return false
        }
        var extra = exchange.extra ?? ExchangeExtra()
        try member(key, value, &extra)
        exchange.extra = extra
        return true
    }

    /// Parses a member into the given parts; ignores other keys.
    static func member(
        _ key: JSONValue,
        _ value: JSONValue,
        _ extra: inout ExchangeExtra
    ) throws(RecordError) {
        if key.matches("provenance") {
            extra.provenance = try ProvenanceDecoding.steps(value)
        } else if key.matches("replay") {
            extra.replay = try replay(value)
        } else if key.matches("notes") {
            extra.notes = try notes(value)
        } else if key.matches("stream") {
            extra.stream = try stream(value)
        } else if key.matches("grpc") {
            extra.grpc = try grpc(value)
        }
    }

    private static func replay(_ value: JSONValue) throws(RecordError) -> ReplayFacts {
        try value.requireObject("replay")
        guard let original = value.member("of"),
            let id = ExchangeID(try original.requireString("of"))
        else { throw value.wrong("replay", expected: "an object with a UUID as 'of'") }
        return ReplayFacts(
            of: id,
            due: try moment("due_at", of: value),
            sent: try moment("sent_at", of: value),
            status: try count("status", of: value)
        )
    }

    private static func notes(_ value: JSONValue) throws(RecordError) -> [ExchangeNote] {
        try value.requireArray("notes")
        var result: [ExchangeNote] = []
        var elements = value.elements
        while let element = elements.next() {
            try element.requireObject("notes")
            result.append(
                ExchangeNote(
                    text: try text("text", of: element),
                    author: try text("by", of: element),
                    mark: try text("mark", of: element),
                    at: try moment("at", of: element)
                )
            )
        }
        return result
    }

    private static func stream(_ value: JSONValue) throws(RecordError) -> StreamLegs {
        try value.requireObject("stream")
        return StreamLegs(
            client: try leg("client", of: value),
            server: try leg("server", of: value)
        )
    }

    private static func leg(
        _ name: StaticString,
        of stream: JSONValue
    ) throws(RecordError) -> StreamLegs.Leg? {
        guard let value = stream.member(name), !value.isNull else { return nil }
        try value.requireObject(name)
        var leg = StreamLegs.Leg(version: try text("version", of: value))
        leg.id = try count("id", of: value)
        if let fields = value.member("fields"), !fields.isNull {
            try fields.requireObject("fields")
            leg.fields = StreamLegs.FieldBytes(
                up: try count("up", of: fields) ?? 0,
                down: try count("down", of: fields) ?? 0
            )
        }
        return leg
    }

    private static func grpc(_ value: JSONValue) throws(RecordError) -> GRPCFacts {
        try value.requireObject("grpc")
        var call = GRPCFacts(
            service: try text("service", of: value),
            method: try text("method", of: value),
            message: try text("message", of: value)
        )
        call.status = try count("status", of: value)
        return call
    }

    private static func count(
        _ name: StaticString,
        of object: JSONValue
    ) throws(RecordError) -> Int? {
        guard let value = object.member(name), !value.isNull else { return nil }
        return try value.requireCount(name)
    }

    /// A member with text; empty if it is absent.
    static func text(
        _ name: StaticString,
        of object: JSONValue
    ) throws(RecordError) -> String {
        guard let value = object.member(name), !value.isNull else { return "" }
        return try value.requireText(name)
    }

    private static func moment(
        _ name: StaticString,
        of object: JSONValue
    ) throws(RecordError) -> Timestamp? {
        guard let value = object.member(name), !value.isNull else { return nil }
        guard let moment = Timestamp(rfc3339: try value.requireString(name)) else {
            throw value.wrong(name, expected: "a date and time as in RFC 3339")
        }
        return moment
    }
}
