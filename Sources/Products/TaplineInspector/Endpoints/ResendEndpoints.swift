// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineCodings
internal import TaplineExport
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineOperations
internal import TaplineServe
internal import TaplineStore

/// The endpoints that send a recorded request again through the pipeline.
enum ResendEndpoints {
    /// How long the answer waits for the new exchange to begin.
    private static let patience = DispatchTimeInterval.seconds(2)

    /// `GET /api/exchanges/ID/draft`.
    static func draft(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let recorded = try call.exchange(try open.stores()).exchange.request
        var losses = LossReport()
        guard let outgoing = OutgoingRequest(recorded, &losses) else {
            throw APIError(409, "not_repeatable", "the request cannot be sent again")
        }
        let content = DraftContent(recorded.body)
        let fields = outgoing.fields.filter { field in
            !content.isDecoded || field.name.lowercased() != "content-encoding"
        }
        let url = outgoing.url().text
        let missing = MissingPlaces(
            url: url,
            fields: fields.map { ($0.name, $0.value) },
            recorded: recorded.body,
            content: content.bytes
        )
        var json = JSONWriter(capacity: content.bytes.count + (4 << 10))
        json.object { json in
            json.member("method", outgoing.method)
            json.member("url", url)
            json.key("headers")
            json.array { json in
                for field in fields {
                    json.array { json in
                        json.string(field.name)
                        json.text(field.value.span)
                    }
                }
            }
            if !content.bytes.isEmpty { json.content(content.bytes) }
            json.key("missing")
            json.array { json in
                for place in missing.places {
                    json.object { json in
                        json.member("at", place.at)
                        json.member("reason", place.reason.rawValue)
                    }
                }
            }
        }
        return ServedResponse(json: json)
    }

    /// `POST /api/resend`.
    static func resend(
        _ call: Call,
        _ respond: @escaping @Sendable (ServedResponse) -> Void
    ) throws {
        let asked = try ResendBody(call.request.body)
        let context = call.context
        guard let control = context.control, control.canSend else {
            throw APIError(
                409,
                "no_pipeline",
                "no proxy can send the request",
                help: "Start the inspector with the pipeline: tapline run FILE --inspect"
            )
        }
        let original = asked.original
        control.send(asked.request, replaying: original) { result in
            switch result {
            case .failure(let error): respond(notSent(error.description))
            case .success(let id):
                if let original { context.resends.note(id, of: original) }
                var json = JSONWriter()
                json.object { $0.member("id", id.description) }
                respond(ServedResponse(json: json))
            }
        }
        // The first answer counts.
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) {
            respond(notSent("the proxy has not taken the request within 2 s; it may still do so"))
        }
    }

    private static func notSent(_ message: String) -> ServedResponse {
        APIError(502, "not_sent", message).response
    }
}

/// The content of a recorded body in the form in which people change it.
private struct DraftContent {
    /// The size up to which content is decoded.
    private static let maxDecoded = 8 << 20

    private(set) var bytes: [UInt8]
    /// Whether a coding was undone.
    private(set) var isDecoded = false

    init(_ body: Body) {
        bytes = body.bytes
        guard !body.coding.isEmpty, !body.isTruncated else { return }
        var found: [UInt8] = []
        do throws(CodingError) {
            try DecodedContent.forEachPiece(of: body) { piece in
                found += piece
                return found.count <= Self.maxDecoded
            }
        } catch {
            return
        }
        guard found.count <= Self.maxDecoded else { return }
        bytes = found
        isDecoded = true
    }
}

extension JSONWriter {
    fileprivate mutating func content(_ bytes: [UInt8]) {
        key("body")
        object { json in
            if json.member("text", ifValid: bytes.span) { return }
            json.key("base64")
            json.base64(bytes.span)
        }
    }
}
