// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineExport
internal import TaplineFormats
internal import TaplineModel
internal import TaplineServe
internal import TaplineStore

/// `GET /api/exchanges/ID/body/request|response`.
enum BodyEndpoint {
    /// How much of a body one answer has at most.
    private static let maxBytes = 64 << 20

    static func answer(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let stored = try call.exchange(try open.stores())
        let exchange = stored.exchange
        let side = call.values.count > 1 ? call.values[1] : ""
        let body: Body
        let type: ByteString
        switch side {
        case "request":
            body = exchange.request.body
            type = exchange.request.contentType
        case "response":
            guard let response = exchange.response else {
                throw APIError(404, "no_response", "the exchange has no response")
            }
            body = response.body
            type = response.contentType
        default: throw APIError(404, "unknown_path", "expected 'request' or 'response'")
        }
        let limit = try call.count("max", default: maxBytes, atMost: maxBytes)
        let content = BodyContent(body, isRaw: call.request.query("form") == "raw", limit: limit)
        var response = ServedResponse(200, type: "application/octet-stream", content.bytes)
        func add(_ name: String, _ value: String) {
            response.fields.append(name: name, value: value)
        }
        let name = "\(side)-\(exchange.id.description.prefix(8))"
        add("Content-Disposition", "attachment; filename=\"\(name)\"")
        add("Content-Security-Policy", "sandbox")
        add("Tapline-Content-Type", type.printable)
        add("Tapline-Body", content.isCut ? "cut-here" : state(of: body, exchange))
        add("Tapline-Decoding", content.decoding)
        return response
    }

    /// What is kept of a body.
    static func state(of body: Body, _ exchange: Exchange) -> String {
        if body.bytes.isEmpty, body.size ?? 0 > 0 { return "missing" }
        if body.isTruncated { return "cut" }
        return ExportRedaction.hasChanged(exchange) ? "masked" : "complete"
    }
}

/// The bytes of a body in one form.
struct BodyContent {
    private(set) var bytes: [UInt8] = []
    /// Whether there are more bytes than the limit.
    private(set) var isCut = false
    private(set) var decoding = "none"

    init(_ body: Body, isRaw: Bool, limit: Int) {
        guard !isRaw, !body.coding.isEmpty else {
            bytes = Array(body.bytes.prefix(limit))
            isCut = body.bytes.count > limit
            return
        }
        decoding = body.coding.printable
        var found: [UInt8] = []
        var isLonger = false
        do throws(CodingError) {
            try DecodedContent.forEachPiece(of: body) { piece in
                let room = limit - found.count
                found += piece.prefix(room)
                isLonger = piece.count > room
                return !isLonger
            }
        } catch {
            // The end of a body that was cut cannot be decoded.
            if !(body.isTruncated && error.code == .truncated) { decoding = "failed" }
        }
        bytes = found
        isCut = isLonger
    }
}

extension ByteString {
    /// The text with what a field cannot have left out.
    var printable: String {
        String(decoding: Array(copying: span).filter { 0x20..<0x7F ~= $0 }, as: UTF8.self)
    }
}
