// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

/// Reads parts of records that a store keeps separately, as in the columns `fields`, `tags` and
/// `extra` of SQLite.
///
/// Keys and values are those of record schema v1; unknown keys are skipped.
///
/// **Isolation**: one thread at a time.
package struct RecordPartReader: ~Copyable {
    private var parser: JSONParser

    /// Creates a reader.
    ///
    /// - Parameter maxDepth: The maximum nesting of a part.
    package init(maxDepth: Int = 128) {
        parser = JSONParser(maxDepth: maxDepth, surrogates: .replace)
    }

    /// Reads all field sections: `{"request":[["Host","shop.test"]],"response":[…]}`.
    ///
    /// - Parameters:
    ///   - json: The JSON object.
    ///   - exchange: Receives the fields; those of a response only if it has one.
    /// - Throws: `RecordError` with the byte in the JSON.
    package mutating func fields(
        _ json: Span<UInt8>,
        into exchange: inout Exchange
    ) throws(RecordError) {
        let document = try Self.parse(json, &parser)
        try document.root.requireObject("fields")
        var members = document.root.members
        while let member = members.next() {
            if member.key.matches("request") {
                try RecordDecoding.fields(member.value, "request", &exchange.request.fields)
            } else if member.key.matches("request_trailers") {
                try RecordDecoding.fields(
                    member.value,
                    "request_trailers",
                    &exchange.request.trailers
                )
            } else if member.key.matches("response") {
                var fields = FieldSection()
                try RecordDecoding.fields(member.value, "response", &fields)
                exchange.response?.fields = fields
            } else if member.key.matches("response_trailers") {
                var fields = FieldSection()
                try RecordDecoding.fields(member.value, "response_trailers", &fields)
                exchange.response?.trailers = fields
            }
        }
    }

    /// Reads tags: `{"team":"checkout"}`.
    ///
    /// - Parameters:
    ///   - json: The JSON object.
    ///   - tags: Receives the tags; the first of several with the same name.
    /// - Throws: `RecordError` with the byte in the JSON.
    package mutating func tags(_ json: Span<UInt8>, into tags: inout Tags) throws(RecordError) {
        let document = try Self.parse(json, &parser)
        try document.root.requireObject("tags")
        var names: Set<String> = []
        var members = document.root.members
        while let member = members.next() {
            guard let name = member.key.asString, names.insert(name).inserted else { continue }
            tags.append(newName: name, value: try member.value.requireText("tags"))
        }
    }

    /// Reads the less common parts of an exchange, nested as in a record.
    ///
    /// - Parameters:
    ///   - json: The JSON object.
    ///   - exchange: Receives the parts; those of a response only if it has one.
    /// - Throws: `RecordError` with the byte in the JSON.
    package mutating func extra(
        _ json: Span<UInt8>,
        into exchange: inout Exchange
    ) throws(RecordError) {
        let document = try Self.parse(json, &parser)
        try document.root.requireObject("extra")
        var members = document.root.members
        while let member = members.next() {
            if member.value.isNull { continue }
            try Self.extra(member.key, member.value, &exchange)
        }
    }

    private static func extra(
        _ key: JSONValue,
        _ value: JSONValue,
        _ exchange: inout Exchange
    ) throws(RecordError) {
        if key.matches("request") {
            try value.requireObject("request")
            if let body = value.member("body") {
                try properties(of: body, &exchange.request.body)
            }
        } else if key.matches("response") {
            guard var response = exchange.response.take() else { return }
            try self.response(value, &response)
            exchange.response = consume response
        } else if key.matches("messages") {
            exchange.messages = try RecordDecoding.messages(value)
        } else if key.matches("bytes") {
            exchange.bytes = try RecordDecoding.counts(value)
        } else if key.matches("original") {
            try RecordDecoding.original(value, &exchange.original)
        } else if key.matches("timing") {
            try RecordDecoding.timing(value, &exchange.timing)
        } else if key.matches("har") {
            try value.requireObject("har")
            exchange.har = ByteString(value.bytes)
        } else if try !RecordDecoding.connection(key, value, &exchange.connection) {
            _ = try ExtraDecoding.member(key, value, &exchange)
        }
    }

    private static func response(
        _ value: JSONValue,
        _ response: inout Response
    ) throws(RecordError) {
        try value.requireObject("response")
        if let version = value.member("version") {
            response.version = try version.requireBytes("version")
        }
        if let body = value.member("body") { try properties(of: body, &response.body) }
        if let interim = value.member("interim") {
            response.interim = try RecordDecoding.interim(interim)
        }
    }

    /// The properties of a body other than its bytes and size.
    private static func properties(
        of value: JSONValue,
        _ body: inout Body
    ) throws(RecordError) {
        try value.requireObject("body")
        if let flag = value.member("truncated") {
            body.isTruncated = try flag.requireBool("truncated")
        }
        if let coding = value.member("coding") { body.coding = try coding.requireBytes("coding") }
        if let size = value.member("decoded_size") {
            body.decodedSize = try size.requireCount("decoded_size")
        }
        if let type = value.member("content_type") {
            body.contentType = try type.requireBytes("content_type")
        }
    }

    @_lifetime(&parser, copy json)
    private static func parse(
        _ json: Span<UInt8>,
        _ parser: inout JSONParser
    ) throws(RecordError) -> JSONDocument {
        do {
            return try parser.parse(json)
        } catch {
            throw RecordError(error)
        }
    }

    /// Frees memory if it has grown for a part larger than `bytes`.
    ///
    /// - Parameter bytes: The size of a part to stay prepared for.
    package mutating func shrink(toPartsOf bytes: Int) {
        parser.shrink(toDocumentsOf: bytes)
    }
}
