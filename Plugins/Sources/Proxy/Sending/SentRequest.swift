// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineOperations

/// A request that this process sends through the proxy.
///
/// It answers once: with the id of its exchange, or with the reason why there is none. A request
/// that is released without an exchange was lost with the loop that it was sent on.
///
/// **Isolation**: any thread.
final class SentRequest: Sendable {
    typealias Answer = @Sendable (Result<ExchangeID, ControlError>) -> Void

    private let request: Request
    private let original: ExchangeID?
    private let answer: Mutex<Answer?>
    /// Returned when nothing uses the request any more.
    private let slot: SendSlots.Slot

    init(
        _ request: Request,
        replaying original: ExchangeID?,
        _ slot: SendSlots.Slot,
        answer: @escaping Answer
    ) {
        self.request = request
        self.original = original
        self.slot = slot
        self.answer = Mutex(answer)
    }

    deinit { fail("the proxy has ended") }

    /// The server that the request names; `nil` if it names none.
    var origin: Origin? { Origin(request) }

    /// The kind of the request, which determines how its response ends.
    var kind: RequestKind { RequestKind(method: request.method, asksUpgrade: false) }

    /// The bytes of the request.
    ///
    /// - Throws: `HTTPError` if a part of the request would break the message.
    func bytes() throws(HTTPError) -> [UInt8] {
        var request = request
        let body = request.body.bytes
        let framing: BodyFraming = request.body.isAbsent ? .none : .length(body.count)
        var output: [UInt8] = []
        // RFC 9110 §9.3.7: a server as a whole.
        let form: TargetForm = request.target.span.equals("*") ? .asterisk : .origin
        try request.appendHead(RequestWriting(form: form, framing: framing), to: &output)
        return output + body
    }

    /// Notes the exchange of the request.
    func begins(_ exchange: inout Exchange) {
        if let original {
            let facts = ReplayFacts(of: original, sent: exchange.started)
            exchange.setExtra { $0.replay = facts }
        }
        end(.success(exchange.id))
    }

    /// Notes that there is no exchange; ignored if there is one.
    func fail(_ reason: String) { end(.failure(ControlError(reason))) }

    private func end(_ result: Result<ExchangeID, ControlError>) {
        answer.withLock { $0.take() }?(result)
    }
}

/// How many requests this process sends at the same time.
///
/// **Isolation**: any thread.
final class SendSlots: Sendable {
    /// The maximum number.
    static let limit = 16

    private let used = Mutex(0)

    /// A place for one request, until it is released.
    final class Slot: Sendable {
        private let slots: SendSlots

        fileprivate init(_ slots: SendSlots) { self.slots = slots }

        deinit { slots.used.withLock { $0 -= 1 } }
    }

    /// Takes a slot; `nil` if all are in use.
    func take() -> Slot? {
        let isFree = used.withLock { used in
            guard used < Self.limit else { return false }
            used += 1
            return true
        }
        return isFree ? Slot(self) : nil
    }
}
