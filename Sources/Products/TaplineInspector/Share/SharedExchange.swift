// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineProtobuf
internal import TaplineQuery

/// An exchange as a shared file has it: two lines of JSON.
///
/// The first one is what lists and overviews need, the second one everything else, which the page
/// reads when it is wanted.
struct SharedExchange {
    /// How much of a body is kept at most; the same as in the inspector.
    private static let maxBodyBytes = 64 << 20

    let row: [UInt8]
    let detail: [UInt8]

    /// Writes the lines.
    ///
    /// - Parameters:
    ///   - exchange: The redacted exchange.
    ///   - number: Its position in the store.
    init(_ exchange: Exchange, number: Int64) {
        var json = JSONWriter()
        json.object { json in
            json.key("row")
            json.row(exchange, number: number)
            json.field("route", of: exchange)
            json.field("correlation", of: exchange)
        }
        row = Array(copying: json.bytes) + [0x0A]
        json = JSONWriter(capacity: 4 << 10)
        json.object { json in
            json.record(of: exchange)
            json.notes(exchange.extra?.notes ?? [])
            json.sizes(of: exchange)
            json.key("messages")
            json.array { json in
                var view = ProtobufView()
                for message in exchange.messages {
                    json.message(message, of: exchange, &view)
                }
            }
            json.key("bodies")
            json.object { json in
                json.body("request", of: exchange.request, in: exchange, Self.maxBodyBytes)
                if let response = exchange.response {
                    json.body("response", of: response, in: exchange, Self.maxBodyBytes)
                }
            }
        }
        detail = Array(copying: json.bytes) + [0x0A]
    }
}

extension JSONWriter {
    /// Writes a field of the filter language that the record does not have.
    fileprivate mutating func field(_ name: StaticString, of exchange: Exchange) {
        guard let field = try? FieldReference.list("\(name)").first,
            case .text(let text) = field.value(in: exchange)
        else { return }
        member(name, text.span)
    }

    /// Writes a body, with its content coding undone.
    fileprivate mutating func body(
        _ name: StaticString,
        of body: Body,
        type: ByteString,
        in exchange: Exchange,
        _ limit: Int
    ) {
        guard !body.bytes.isEmpty || (body.size ?? 0) > 0 else { return }
        let content = BodyContent(body, isRaw: false, limit: limit)
        key(name)
        object { json in
            json.member("type", type.printable)
            json.member(
                "state",
                content.isCut ? "cut" : BodyEndpoint.state(of: body, exchange)
            )
            json.member("decoding", content.decoding)
            if !json.member("text", ifValid: content.bytes.span) {
                json.key("base64")
                json.base64(content.bytes.span)
            }
        }
    }

    fileprivate mutating func body(
        _ name: StaticString,
        of request: Request,
        in exchange: Exchange,
        _ limit: Int
    ) {
        body(name, of: request.body, type: request.contentType, in: exchange, limit)
    }

    fileprivate mutating func body(
        _ name: StaticString,
        of response: Response,
        in exchange: Exchange,
        _ limit: Int
    ) {
        body(name, of: response.body, type: response.contentType, in: exchange, limit)
    }
}
