// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Counts parts of an exchange that a HAR file cannot represent, or that cannot be read back.
enum HARLosses {
    static func count(
        _ exchange: borrowing Exchange,
        hasNotedFailure: Bool,
        hasNotedServer: Bool,
        _ losses: inout LossReport
    ) {
        if !exchange.source.isEmpty { losses.count("source") }
        if !exchange.connection.client.isEmpty { losses.count("client") }
        if !hasNotedServer, !isServerKept(exchange) { losses.count("server") }
        if exchange.connection.isReused != nil { losses.count("connection.reused") }
        if exchange.connection.tls != nil { losses.count("tls") }
        if exchange.connection.serverTLS != nil { losses.count("server_tls") }
        if !exchange.request.trailers.isEmpty { losses.count("request.trailers") }
        // The bodies contain them.
        if exchange.messages.contains(where: { $0.type == "grpc" }) { losses.count("messages") }
        if isTruncationLost(exchange.request.body, exchange.request.body.size) {
            losses.count("request.body.truncated")
        }
        if exchange.request.body.decodedSize != nil, exchange.request.body.coding.isEmpty {
            losses.count("request.body.decoded_size")
        }
        if exchange.request.body.isHashed { losses.count("request.body.sha256") }
        if !isTargetKept(exchange.request) { losses.count("request.target") }
        if let response = exchange.response {
            if !response.trailers.isEmpty { losses.count("response.trailers") }
            if !response.interim.isEmpty { losses.count("response.interim") }
            if response.body.isHashed { losses.count("response.body.sha256") }
            if isTruncationLost(response.body, response.body.decodedSize) {
                losses.count("response.body.truncated")
            }
        }
        if exchange.bytes != nil { losses.count("bytes") }
        if !exchange.original.isEmpty { losses.count("original") }
        count(exchange.messages, &losses)
        let (state, code) = readAgain(exchange, hasNotedFailure)
        if state != exchange.state { losses.count("state") }
        if let error = exchange.error, !error.code.isEmpty, error.code != code {
            losses.count("error.code")
        }
    }

    private static func count(_ messages: [StreamMessage], _ losses: inout LossReport) {
        if messages.contains(where: \.isTruncated) { losses.count("messages.truncated") }
        if messages.contains(where: { $0.at == nil }) { losses.count("messages.at_ms") }
        let isSized = messages.contains { message in
            guard let size = message.size else { return false }
            if message.isEvent { return true }
            return size != HARWebSocket.payload(message).count && size != message.bytes.count
        }
        if isSized { losses.count("messages.size") }
    }

    /// The port is not written: readers use that of the URL.
    private static func isServerKept(_ exchange: borrowing Exchange) -> Bool {
        let server = exchange.connection.server
        guard let host = HAREncoding.host(server) else { return server.isEmpty }
        return HARDecoding.address(host, exchange.request.port) == server
    }

    /// The target is derived from the URL, except for unusual forms (RFC 9112 section 3.2).
    private static func isTargetKept(_ request: borrowing Request) -> Bool {
        var again = Request()
        let url = request.url
        again.setURL(url.span)
        return again.target == request.target
    }

    /// If no content is kept, it is read back as truncated; other truncation is not recognizable.
    private static func isTruncationLost(_ body: borrowing Body, _ size: Int?) -> Bool {
        body.isTruncated && !(body.bytes.isEmpty && size ?? 0 > 0)
    }

    /// The state and error code that a reader would determine.
    private static func readAgain(
        _ exchange: borrowing Exchange,
        _ hasNotedFailure: Bool
    ) -> (ExchangeState, String) {
        let text = HAREncoding.failure(exchange, hasNotedFailure: hasNotedFailure) ?? ""
        let isNoted = hasNotedFailure && exchange.state == .failed
        guard exchange.response == nil || !text.isEmpty || isNoted else {
            return (.completed, "")
        }
        let isAborted = HARDecoding.aborts.contains { text.hasPrefix($0) }
        return isAborted ? (.cancelled, "aborted") : (.failed, "failed")
    }
}
