// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineMatching
internal import TaplineModel
internal import TaplineOperations

/// Makes the request that is sent from a recorded one.
enum OutgoingRequest {
    /// Fields that belong to the recorded connection or describe its framing (RFC 9110 §7.6.1).
    private static let dropped = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Upgrade", "TE",
        "Trailer", "Transfer-Encoding", "Content-Length", "Expect",
    ]
    /// What the stage `redact` writes in place of a value.
    private static let masks = ["[redacted]", "%5bredacted%5d"]

    /// Returns why a recorded request cannot be sent, whatever its target; `nil` if it can.
    static func obstacle(_ request: borrowing Request) -> ReplayObstacle? {
        if request.method.span.equals("CONNECT") { return .connect }
        let body = request.body
        if body.isTruncated || (body.bytes.isEmpty && (body.size ?? 0) > 0) { return .missingBody }
        return isMasked(request) ? .masked : nil
    }

    /// Whether a value of a request was masked, except for Referer.
    static func isMasked(_ request: borrowing Request) -> Bool {
        if contains(request, anyOf: masks) { return true }
        // Texts may contain stars: they are a mask only as a whole value.
        guard contains(request, anyOf: ["***"]) else { return false }
        return MaskedValues.standard.fill(request)
    }

    /// Whether a message of a WebSocket was masked, or a part of it.
    static func isMasked(message: [UInt8]) -> Bool {
        let bytes = message.span
        return hasMask(bytes, masks) || bytes.equals("***")
            || bytes.contains("\"***\"".utf8.span, ignoringCase: false)
    }

    private static func contains(_ request: borrowing Request, anyOf masks: [String]) -> Bool {
        if hasMask(request.target.span, masks) { return true }
        let fields = request.fields
        for position in fields.indices where hasMask(fields.value(at: position), masks) {
            // The key of a WebSocket is made anew.
            let name = fields.name(at: position)
            if !name.equalsIgnoringCase("referer"),
                !name.equalsIgnoringCase("sec-websocket-key")
            {
                return true
            }
        }
        return hasMask(request.body.bytes.span, masks)
    }

    private static func hasMask(_ bytes: Span<UInt8>, _ masks: [String]) -> Bool {
        for mask in masks where bytes.contains(mask.utf8.span, ignoringCase: true) { return true }
        return false
    }

    /// Returns whether a request was recorded with HTTP/2 or later, or is a gRPC call, which is
    /// defined for HTTP/2 only.
    static func usedHTTP2(_ request: borrowing Request) -> Bool {
        let version = request.version
        return version.span.equals("HTTP/2") || version.span.equals("HTTP/3")
            || GRPCCall.form(request.fields) == .grpc
    }

    /// Changes a recorded request to one for another server.
    ///
    /// Host is set; fields of the recorded connection and a masked Referer are removed.
    static func adapt(_ request: inout Request, to origin: Origin) {
        let authority = origin.authority
        request.scheme = origin.scheme
        request.authority = authority
        request.version = origin.hasPriorKnowledge ? "HTTP/2" : "HTTP/1.1"
        let target = request.target
        if let parts = URLParts(target.span) {
            let isWhole = parts.target.isEmpty && request.method.span.equals("OPTIONS")
            request.target = isWhole ? "*" : parts.originForm(of: target.span)
        }
        dropFields(of: &request)
        request.fields.set("Host".utf8.span, to: authority.span)
    }

    private static func dropFields(of request: inout Request) {
        // RFC 9110 §7.6.1: Connection lists further fields of the connection.
        for value in request.fields.all("Connection") {
            for name in "\(value)".split(separator: ",") {
                let name = String(name.drop { $0 == " " }.prefix { $0 != " " })
                if !name.isEmpty { request.fields.removeAll(name) }
            }
        }
        for name in dropped { request.fields.removeAll(name) }
        // Servers refuse gRPC calls without it ("gRPC over HTTP2").
        if GRPCCall.form(request.fields) == .grpc {
            request.fields.append(name: "TE", value: "trailers")
        }
        if let referer = request.fields.first("Referer"), hasMask(referer.span, masks) {
            request.fields.removeAll("Referer")
        }
        // Recordings of browsers have pseudo-fields of HTTP/2 (RFC 9113 §8.3).
        let fields = request.fields
        let pseudo = fields.indices.filter { position in
            let name = fields.name(at: position)
            return !name.isEmpty && name[0] == .ascii(":")
        }
        request.fields.remove(at: Array(pseudo))
        // The kept bytes were decoded.
        if request.body.coding.isEmpty { request.fields.removeAll("Content-Encoding") }
    }

    /// How the body of a request is framed on a stream, which announces no length of a gRPC call, as
    /// its clients do.
    static func streamFraming(of request: borrowing Request) -> BodyFraming {
        GRPCCall.form(request.fields) == .grpc ? .chunked : framing(of: request)
    }

    /// How the body of a request is framed.
    static func framing(of request: borrowing Request) -> BodyFraming {
        let count = request.body.bytes.count
        if count > 0 { return .length(count) }
        // RFC 9110 §8.6: these methods have a body by definition, even an empty one.
        let method = request.method.span
        let hasBody = method.equals("POST") || method.equals("PUT") || method.equals("PATCH")
        return hasBody ? .length(0) : .none
    }
}
