// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineMatching
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin

/// Sends the recorded messages of a client through a WebSocket, and records those of the server:
/// carries out what a state machine decides.
///
/// **Isolation**: the loop's thread. The exchange holds it until it ends.
final class ReplayConversation {
    /// The maximum number of messages in a record.
    private static let maxMessages = 10_000
    /// The maximum size of a message in which tokens are searched, in bytes.
    private static let maxTokens = 1 << 20
    /// The number of early bytes at which the server has to wait.
    private static let maxEarly = 65_536

    private unowned let exchange: ReplayExchange
    private let client: RecordedClient
    private var machine: ClientMessagesStateMachine
    private var assembler = WebSocketMessageAssembler(from: .server, keeps: 0)
    private var log: MessageLog
    /// Which recorded messages of the server the live ones take the place of; `nil` if none hands out
    /// tokens.
    private var pairing: MessagePairing?
    /// The maximum size of a message that hooks get as a whole; 0 without hooks.
    private var wanted = 0
    private var timer: LoopTimer?
    /// Bytes of the server that arrived while the `response` hooks ran.
    private var early: [UInt8] = []
    /// The payload of a ping that is answered once the server takes output; only the latest one has
    /// to be (RFC 6455 §5.5.3).
    private var unansweredPing: [UInt8]?
    /// Output that the server does not take, and since when; `nil` while it takes output.
    private var stalled: (bytes: Int, since: Int64)?
    private var isOpen = false
    private var isStopping = false
    private(set) var counts = ReplayReport.WebSockets()
    private(set) var bytesUp = 0
    private(set) var bytesDown = 0

    init(_ client: RecordedClient, of exchange: ReplayExchange) {
        self.client = client
        self.exchange = exchange
        let settings = exchange.worker.settings
        machine = ClientMessagesStateMachine(
            client.plan,
            patience: settings.messageTimeout.count
        )
        log = MessageLog(maxCount: Self.maxMessages, limit: exchange.worker.captureMaxBytes)
        counts.due = client.messages.count
        if let messages = exchange.planned.plan?.messages, !messages.issuing.isEmpty {
            pairing = MessagePairing(messages)
        }
    }

    /// The bytes that are counted in the memory of the lane.
    var keptBytes: Int { log.held }

    /// Adds the kept messages to the record.
    func fill(_ exchange: inout Exchange) { log.fill(&exchange) }

    // MARK: Events

    /// Starts, since the hooks have accepted the response.
    func open() {
        let worker = exchange.worker
        wanted = worker.lane.wantedMessages(exchange.held.exchange, &exchange.held.context)
        timer = LoopTimer(on: worker.loop) { [weak self] in self?.advance() }
        isOpen = true
        counts.opened = 1
        machine.opened(now: EventLoop.clockNow())
        let early = Swift.exchange(&self.early, with: [])
        if early.count >= Self.maxEarly { exchange.server?.resumeReading() }
        received(early.span)
        if worker.isStopping { goAway() }
    }

    /// Reads bytes of the server.
    func received(_ bytes: Span<UInt8>) {
        guard isOpen else {
            early.append(copying: bytes)
            if early.count >= Self.maxEarly { exchange.server?.pauseReading() }
            return
        }
        bytesDown += bytes.count
        var consumed = 0
        do throws(WebSocketError) {
            while consumed < bytes.count {
                assembler.keeps = max(log.room(.down), wanted, pairing == nil ? 0 : Self.maxTokens)
                let step = try assembler.next(bytes.extracting(consumed..<bytes.count))
                consumed += step.consumed
                if let message = step.message, !handle(message) { return }
            }
        } catch {
            // RFC 6455 §7.1.7: the server gets the reason.
            send(.close, WebSocketMessage.closePayload(error.code.closeCode))
            return exchange.conversationFailed(
                ExchangeFailure(code: "malformed_message", message: "\(error)")
            )
        }
        advance()
    }

    /// Notes that the server has ended the connection.
    func connectionEnded(_ failure: ExchangeFailure) {
        guard case .end(let ending) = machine.connectionEnded() else { return }
        end(ending, failure)
    }

    /// Goes on, since the server takes more.
    func drained() { advance() }

    /// Closes the connection, since the run stops.
    func goAway() {
        guard case .goAway = machine.stop(now: EventLoop.clockNow()) else { return }
        isStopping = true
        send(.close, WebSocketMessage.closePayload(1001))
        advance()
    }

    /// Ends with the exchange.
    func finish() {
        counts.unsent = counts.due - counts.sent - counts.dropped
        machine.end()
        timer = nil
    }

    // MARK: Playing

    private func advance() {
        // Sending may end the exchange.
        let exchange = exchange
        answerPing()
        while isOpen, let server = exchange.server {
            guard server.isWritable else { return awaitOutput(server) }
            stalled = nil
            switch machine.next(now: EventLoop.clockNow()) {
            case .none, .pong, .answerClose: return
            case .arm(let time):
                timer?.arm(after: Microseconds(max(time &- exchange.worker.loop.now, 0)))
                return
            case .send(let index): send(bound(index))
            case .overdue(let number): exchange.worker.handedOut([number])
            case .close: send(.close, client.closePayload)
            case .goAway: send(.close, WebSocketMessage.closePayload(1001))
            case .end(let ending): return end(ending, .replayUnclosed)
            }
        }
    }

    /// A recorded message with live tokens.
    private func bound(_ index: Int) -> StreamMessage {
        var message = client.messages[index]
        let use = exchange.worker.sessions.bind(
            &message,
            at: client.positions[index],
            of: exchange.planned
        )
        guard let use else { return message }
        if !use.bound.isEmpty { counts.bound += 1 }
        if !use.missing.isEmpty { counts.missing += 1 }
        exchange.tag(use.bound.map(\.name))
        return message
    }

    /// Waits until the server takes output, but not forever.
    private func awaitOutput(_ server: ServerLink) {
        let now = EventLoop.clockNow()
        let bytes = server.pendingBytes
        let since = if let stalled, bytes >= stalled.bytes { stalled.since } else { now }
        stalled = (bytes, since)
        let settings = exchange.worker.settings
        let limit = isStopping ? settings.messageTimeout : settings.timeout
        let left = limit.count &- (now &- since)
        guard left <= 0 else {
            timer?.arm(after: Microseconds(left))
            return
        }
        if isStopping { exchange.stop() } else { exchange.fail(.replayStalled, isFinal: true) }
    }

    /// Runs the hooks on a message, and sends what they leave of it.
    private func send(_ message: StreamMessage) {
        var message = message
        message.at = exchange.sinceBegun
        let hasHooks = wanted > 0 && message.isData
        switch hasHooks ? runHooks(&message) : .pass {
        case .abort: exchange.conversationAborted()
        case .drop:
            log.dropped += 1
            counts.dropped += 1
        case .pass:
            message.size = message.bytes.count
            counts.sent += 1
            write(message.webSocketOpcode ?? .binary, message.bytes)
            log.append(message, exchange.worker.lane)
        }
    }

    /// Sends a control frame, and records it.
    private func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        write(opcode, payload)
        let message = WebSocketMessage(control: opcode, payload)
        log.append(message.recorded(.up, at: exchange.sinceBegun), exchange.worker.lane)
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        guard let server = exchange.server else { return }
        var output: [UInt8] = []
        let mask = exchange.worker.ids.makeMask()
        output.append(
            WebSocketFrame(opcode, payloadCount: payload.count, mask: mask),
            payload: payload.span
        )
        bytesUp += output.count
        server.write(output.span)
    }

    private func end(_ ending: ClientMessagesStateMachine.Ending, _ failure: ExchangeFailure) {
        if isStopping { return exchange.stop() }
        switch ending {
        case .closed: exchange.conversationEnded()
        case .unanswered, .broken: exchange.conversationFailed(failure)
        }
    }

    // MARK: The server's messages

    /// Handles a message; returns whether the conversation continues.
    private func handle(_ message: WebSocketMessage) -> Bool {
        let recorded = message.recorded(.down, at: exchange.sinceBegun)
        switch message.opcode {
        case .text, .binary:
            counts.received += 1
            machine.messageArrived(now: EventLoop.clockNow())
            takeTokens(of: recorded)
            return keep(recorded)
        case .ping:
            log.append(recorded, exchange.worker.lane)
            unansweredPing = message.bytes
            answerPing()
        case .close:
            log.append(recorded, exchange.worker.lane)
            let action = machine.closeArrived()
            guard action != .none else { return false }
            // RFC 6455 §5.5.1: the answer has the status that arrived.
            if action == .answerClose {
                let code = message.closeCode
                send(.close, WebSocketMessage.closePayload(code))
            }
            end(.closed, .replayUnclosed)
            return false
        case .pong, .continuation: log.append(recorded, exchange.worker.lane)
        }
        return true
    }

    /// Takes the tokens of a message of the server, for which messages and requests may wait.
    private func takeTokens(of message: StreamMessage) {
        guard var pairing = pairing.take() else { return }
        let worker = exchange.worker
        let numbers = worker.sessions.observe(message, &pairing, of: exchange.planned)
        if !pairing.isDone { self.pairing = pairing }
        for number in numbers { machine.tokensArrived(number) }
        worker.handedOut(numbers)
    }

    /// Answers the latest ping, unless the server does not take output now.
    private func answerPing() {
        guard exchange.server?.isWritable == true, let payload = unansweredPing.take(),
            machine.pingArrived() == .pong
        else { return }
        send(.pong, payload)
    }

    /// Runs the hooks on a message of the server, and records what they leave of it.
    private func keep(_ message: StreamMessage) -> Bool {
        var kept = message
        if wanted > 0 {
            var seen = message
            let isWhole = message.bytes.count <= wanted
            if !isWhole {
                seen.bytes = Array(message.bytes[..<wanted])
                seen.isTruncated = true
            }
            switch runHooks(&seen) {
            case .abort:
                exchange.conversationAborted()
                return false
            case .drop:
                log.dropped += 1
                return true
            case .pass: if isWhole { kept.bytes = seen.bytes }
            }
        }
        log.append(kept, exchange.worker.lane)
        return true
    }

    private func runHooks(_ message: inout StreamMessage) -> MessageOutcome {
        exchange.worker.lane.message(
            &message,
            &exchange.held.exchange,
            &exchange.held.context
        )
    }
}
