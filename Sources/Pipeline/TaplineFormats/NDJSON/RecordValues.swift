// SPDX-License-Identifier: MIT

package import TaplineJSON
package import TaplineModel

// Records as parts of other JSON, as in the protocol of plugins in other programs.

extension JSONWriter {
    /// Writes an exchange as one object of the record schema, without digests and line feed.
    ///
    /// - Parameter exchange: The exchange.
    package mutating func exchange(_ exchange: borrowing Exchange) {
        var scratch: [UInt8] = []
        RecordEncoding.exchange(exchange, digests: (nil, nil), to: &self, &scratch)
    }
}

extension JSONValue {
    /// Reads a record into an exchange that has only a request so far.
    ///
    /// - Parameter exchange: The exchange; if this throws, it contains parts of the record.
    /// - Throws: `RecordError` with the byte in the text.
    package func readRecord(into exchange: inout Exchange) throws(RecordError) {
        exchange.id = ExchangeID(high: 0, low: 0)
        exchange.request.method = ByteString()
        exchange.request.target = ByteString()
        exchange.request.scheme = ByteString()
        exchange.request.version = ByteString()
        try RecordDecoding.exchange(self, &exchange)
    }

    /// Reads a whole request, as in a record.
    ///
    /// - Throws: `RecordError` with the byte in the text.
    package func readRequest(into request: inout Request) throws(RecordError) {
        request.fields = FieldSection()
        request.trailers = FieldSection()
        request.body = Body()
        try RecordDecoding.request(self, &request)
    }

    /// Reads a whole response, as in a record.
    ///
    /// - Throws: `RecordError` with the byte in the text.
    package func readResponse() throws(RecordError) -> Response {
        var response = Response(status: 0)
        try RecordDecoding.response(self, &response)
        return response
    }
}
