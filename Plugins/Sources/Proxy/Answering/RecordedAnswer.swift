// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel

/// A recorded exchange as an answer.
final class RecordedAnswer: Sendable {
    /// What the client gets.
    enum Outcome: Sendable {
        /// The response as it is sent.
        case response(Response)
        /// The connection is closed, as if the network had failed.
        case failure(ExchangeError)
    }

    let id: ExchangeID
    let request: Request
    let outcome: Outcome
    /// How long the server took.
    let wait: Microseconds
    /// What the server sent after the head, if that is played.
    let conversation: RecordedConversation?

    /// Makes an answer of an exchange; `nil` if it has neither a response that can be sent nor a
    /// failure in its place.
    init?(_ exchange: borrowing Exchange) {
        guard AnswerLibrary.isUsable(exchange) else { return nil }
        id = exchange.id
        request = exchange.request.withHTTPScheme
        conversation =
            RecordedConversation(webSocket: exchange) ?? RecordedConversation(events: exchange)
        guard exchange.state != .cancelled || conversation != nil else { return nil }
        if let response = exchange.response {
            // The answer to a handshake is made for each key.
            guard response.status != 101 || conversation != nil else { return nil }
            outcome = .response(response.asAnswer(to: exchange.request.method))
        } else {
            outcome = .failure(exchange.error ?? ExchangeError(code: "failed"))
        }
        let total = conversation == nil ? exchange.timing.total : exchange.responseBegan
        wait = exchange.timing.wait ?? total ?? Microseconds(0)
    }

    /// The approximate memory that it takes, in bytes.
    var memory: Int {
        var memory = 1024 + (conversation?.memory ?? 0)
        memory += request.body.bytes.count + request.fields.byteCount
        if case .response(let response) = outcome {
            memory += response.body.bytes.count + response.fields.byteCount
            memory += response.trailers.byteCount
        }
        return memory
    }
}

extension Response {
    /// The response as it is sent again: with framing of its own, and with the coding that its kept
    /// bytes have.
    fileprivate func asAnswer(to method: ByteString) -> Response {
        var response = self
        response.version = "HTTP/1.1"
        if response.reason.isEmpty {
            response.reason = ByteString(Response.reason(of: response.status))
        }
        response.interim = []
        if response.trailers.isEmpty { response.fields.removeAll("Trailer") }
        if !response.body.bytes.isEmpty {
            // Recordings often contain decoded bytes, whatever the field says.
            response.fields.removeAll("Content-Encoding")
            let coding = response.body.coding
            if !coding.isEmpty {
                response.fields.append(name: "Content-Encoding".utf8.span, value: coding.span)
            }
        }
        let isHead = method.span.equals("HEAD")
        if !isHead || !response.body.bytes.isEmpty {
            response.body.size = response.body.bytes.count
        }
        response.body.isTruncated = false
        response.frame(answering: method)
        // They follow the last chunk.
        if !response.trailers.isEmpty { response.fields.removeAll("Content-Length") }
        return response
    }
}
