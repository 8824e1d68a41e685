// SPDX-License-Identifier: MIT

public import Foundation
internal import TaplineFormats
public import TaplineModel

extension Entry {
    /// A header field.
    public struct Field: Sendable, Hashable {
        /// The name as it was recorded.
        public let name: String
        /// The value.
        public let value: String
    }

    /// The largest decoded size of a body.
    private static let maxDecodedBytes = 16 << 20

    /// The fields of the request in their order, including repeated ones.
    ///
    /// Empty until the exchange has ended.
    public var requestHeaders: [Field] { Entry.list(exchange?.request.fields) }

    /// The fields of the response in their order, including repeated ones.
    ///
    /// Empty if there is no response.
    public var responseHeaders: [Field] { Entry.list(exchange?.response?.fields) }

    /// The stored body of the request, decoded; `nil` if none is stored.
    public var requestBody: Data? { exchange.flatMap { Entry.content($0.requestPart) } }

    /// The stored body of the response, decoded; `nil` if none is stored.
    public var responseBody: Data? { exchange.flatMap { Entry.content($0.responsePart) } }

    /// The reason why there is no response, or only a part of it.
    public var error: ExchangeError? { exchange?.error }

    /// When the exchange began.
    public var startTime: Date { Entry.date(started) }

    /// When the exchange ended; `nil` until then.
    public var endTime: Date? {
        exchange?.timing.total.map {
            Entry.date(Timestamp(microseconds: started.microseconds + $0.count))
        }
    }

    /// The body of the request as readable text: indented JSON, other text as it is, the size of
    /// binary content.
    ///
    /// `nil` if no body is stored.
    public var prettyPrintedRequestBody: String? {
        exchange.flatMap { Entry.readable($0.requestPart) }
    }

    /// The body of the response as readable text: indented JSON, other text as it is, the size of
    /// binary content.
    ///
    /// `nil` if no body is stored.
    public var prettyPrintedResponseBody: String? {
        exchange.flatMap { Entry.readable($0.responsePart) }
    }

    private static func list(_ fields: FieldSection?) -> [Field] {
        guard let fields else { return [] }
        return fields.indices.map { position in
            let (name, value) = fields.text(at: position)
            return Field(name: name, value: value)
        }
    }

    private static func date(_ moment: Timestamp) -> Date {
        Date(timeIntervalSince1970: Double(moment.microseconds) / 1_000_000)
    }

    private static func content(_ part: (body: Body, fields: FieldSection)?) -> Data? {
        guard let part, !part.body.bytes.isEmpty else { return nil }
        let content = ReadableContent(part.body, part.fields, limit: maxDecodedBytes)
        return Data(content?.bytes ?? part.body.bytes)
    }

    private static func readable(_ part: (body: Body, fields: FieldSection)?) -> String? {
        guard let part, !part.body.bytes.isEmpty else { return nil }
        if let content = ReadableContent(part.body, part.fields, limit: maxDecodedBytes) {
            return content.text
        }
        return "(\(part.body.bytes.count) bytes in \(part.body.coding), cannot be decoded)"
    }
}

extension Exchange {
    fileprivate var requestPart: (body: Body, fields: FieldSection)? {
        (request.body, request.fields)
    }

    fileprivate var responsePart: (body: Body, fields: FieldSection)? {
        response.map { ($0.body, $0.fields) }
    }
}
