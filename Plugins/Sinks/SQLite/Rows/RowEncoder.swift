// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineSQL

/// Writes the columns that contain JSON.
///
/// Keys and values are those of the record schema.
struct RowEncoder: ~Copyable {
    var writer = JSONWriter()

    /// All field sections: `{"request":[["Host","shop.test"]],"response":[…]}`.
    mutating func fields(_ exchange: borrowing Exchange) {
        writer.removeAll()
        writer.beginObject()
        writer.key("request")
        section(exchange.request.fields)
        if let response = exchange.response {
            writer.key("response")
            section(response.fields)
            if !response.trailers.isEmpty {
                writer.key("response_trailers")
                section(response.trailers)
            }
        }
        if !exchange.request.trailers.isEmpty {
            writer.key("request_trailers")
            section(exchange.request.trailers)
        }
        writer.endObject()
    }

    /// Binds the JSON that was written last.
    func bind(to row: SQLiteStatement, _ column: Int32) throws(SQLiteError) {
        try row.bind(column, text: writer.bytes)
    }

    mutating func tags(_ tags: Tags) {
        writer.removeAll()
        writer.beginObject()
        for tag in tags {
            writer.key(tag.name.utf8.span)
            writer.string(tag.value)
        }
        writer.endObject()
    }

    /// The name and value of each field, in order.
    mutating func section(_ fields: FieldSection) {
        writer.beginArray()
        // ASCII stays text wherever it is split; other bytes are checked field by field.
        let storage = fields.storage.bytes
        let isASCII = storage.span.isASCII
        for position in fields.indices {
            writer.beginArray()
            if isASCII {
                writer.string(fields.name(at: position))
                writer.string(fields.value(at: position))
            } else {
                text(fields.name(at: position))
                text(fields.value(at: position))
            }
            writer.endArray()
        }
        writer.endArray()
    }

    /// Text, or `{"base64":"…"}` if the bytes are not UTF-8.
    mutating func text(_ bytes: Span<UInt8>) {
        if isValidUTF8(bytes) {
            writer.string(bytes)
        } else {
            writer.beginObject()
            writer.key("base64")
            writer.base64(bytes)
            writer.endObject()
        }
    }
}
