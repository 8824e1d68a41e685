// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Plays the messages of a recorded server, in place of a connection to it: carries out what a state
/// machine decides.
///
/// What it sends takes the way of bytes that arrive from a server, so that hooks, records and limits
/// apply as to live traffic.
///
/// **Isolation**: the worker's thread. The exchange holds it until it ends.
final class AnswerPlayer {
    private unowned let exchange: ProxyExchange
    private let conversation: RecordedConversation
    private var machine: ServerMessagesStateMachine
    /// Separates the frames of a client; their data is not needed.
    private var assembler = WebSocketMessageAssembler(from: .client, keeps: 0)
    /// Bytes of the client that were not read yet.
    private var input: [UInt8] = []
    /// The payload of a ping that is answered once the client takes output; only the latest one has
    /// to be (RFC 6455 §5.5.3).
    private var unansweredPing: [UInt8]?
    private var timer: LoopTimer?
    private var isScheduled = false
    private var hasClientEnded = false

    /// - Parameters:
    ///   - conversation: What is played.
    ///   - factor: The factor of the recorded distances; 0 for none.
    ///   - exchange: The exchange that it answers.
    init(_ conversation: RecordedConversation, factor: Double, for exchange: ProxyExchange) {
        self.conversation = conversation
        self.exchange = exchange
        machine = ServerMessagesStateMachine(conversation.steps(scaledBy: factor))
        timer = LoopTimer(on: exchange.worker.loop) { [weak self] in self?.advance() }
    }

    // MARK: From the exchange

    /// Starts, since the client has the head of the response.
    func opened() {
        machine.opened(now: EventLoop.clockNow())
        schedule()
    }

    /// Takes bytes of the client, and reads them after the current event.
    func received(_ bytes: Span<UInt8>) {
        input.append(copying: bytes)
        schedule()
    }

    /// Notes that the client sends no more.
    func clientEnded() {
        hasClientEnded = true
        schedule()
    }

    /// Goes on after the current event: the caller may be forwarding bytes.
    func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        exchange.worker.loop.afterThisEvent { [weak self] in
            guard let self else { return }
            isScheduled = false
            // Playing may end the exchange.
            let exchange = exchange
            readInput()
            withExtendedLifetime(exchange) { self.advance() }
        }
    }

    /// Ends with the exchange.
    func end() {
        machine.stop()
        timer = nil
        input = []
    }

    // MARK: Playing

    private func advance() {
        let exchange = exchange
        answerPing()
        while exchange.client.link.isWritable {
            // Hooks pause: what is sent now would be held. The end of the pause schedules again.
            if case .withheld = exchange.machine.responseCredit { return }
            switch machine.next(now: EventLoop.clockNow()) {
            case .none, .pong, .answerClose, .close, .goAway, .overdue: return
            case .arm(let time):
                let loop = exchange.worker.loop
                // Waiting is no inactivity.
                exchange.clock.lastActive = max(exchange.clock.lastActive, time)
                timer?.arm(after: Microseconds(max(time &- loop.now, 0)))
                return
            case .send(let index): send(index)
            case .end: return leave()
            }
        }
    }

    private func send(_ index: Int) {
        let content = conversation.contents[index]
        switch conversation.medium {
        case .events: if !content.isEmpty { exchange.received(content: content.span) }
        case .webSocket: send(conversation.opcodes[index], content)
        }
    }

    private func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        var output: [UInt8] = []
        output.append(WebSocketFrame(opcode, payloadCount: payload.count), payload: payload.span)
        exchange.received(tunnel: output.span)
    }

    private func leave() {
        switch conversation.medium {
        case .events: exchange.responseEnded(FieldSection())
        case .webSocket: exchange.serverFailed(.brokenOff)
        }
    }

    // MARK: The client's frames

    private func readInput() {
        let bytes = Swift.exchange(&input, with: [])
        var consumed = 0
        do throws(WebSocketError) {
            while consumed < bytes.count {
                let step = try assembler.next(
                    bytes.span.extracting(consumed..<bytes.count)
                )
                consumed += step.consumed
                if let message = step.message { handle(message) }
            }
        } catch {
            // RFC 6455 §7.1.7: the client gets the reason.
            send(.close, WebSocketMessage.closePayload(error.code.closeCode))
            return carryOut(machine.clientEnded())
        }
        if hasClientEnded { carryOut(machine.clientEnded()) }
    }

    private func handle(_ message: WebSocketMessage) {
        switch message.opcode {
        case .text, .binary: machine.messageArrived(now: EventLoop.clockNow())
        case .ping:
            unansweredPing = message.bytes
            answerPing()
        case .close:
            let action = machine.closeArrived()
            if action == .answerClose {
                send(.close, conversation.closeAnswer ?? message.bytes)
                leave()
            } else {
                carryOut(action)
            }
        case .pong, .continuation: break
        }
    }

    /// Answers the latest ping, unless the client does not take output now.
    private func answerPing() {
        guard exchange.client.link.isWritable, let payload = unansweredPing.take(),
            machine.pingArrived() == .pong
        else { return }
        send(.pong, payload)
    }

    private func carryOut(_ action: ServerMessagesStateMachine.Action) {
        if case .end = action { leave() }
    }
}
