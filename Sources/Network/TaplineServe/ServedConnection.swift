// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet
internal import TaplineTLS

/// A client's connection: carries out what its conversation decides.
///
/// **Isolation**: the loop's thread; other threads only pass it on to tasks of the loop.
final class ServedConnection: ConnectionDelegate, @unchecked Sendable {
    // Unchecked, since answers of other threads refer to it; all of its state belongs to the loop.

    let loop: EventLoop
    let options: ServeOptions
    private let socket: TCPConnection
    private var conversation: ServerConversation
    /// The TLS to start with the first bytes; `nil` after that, and for plain HTTP.
    private var expectedTLS: ServerTLS?
    private var handler: ((ServedRequest, Responder) -> Void)?
    /// The connections of the server, and the number among them.
    private let connections: OpenConnections
    private var id: ConnectionLimitStateMachine.ID = 0
    private var timer: LoopTimer?
    private var deadline = ServerConversation.Deadline.none
    /// The answer that is waited for; weak, so that its loss is noticed.
    private weak var responder: Responder?
    private weak var stream: ResponseStream?
    /// The bytes of the stream that wait in the socket.
    private var owed = 0
    /// `TCPConnection.bytesTaken` when the time for the response began.
    private var taken: UInt64 = 0

    init(
        _ socket: TCPConnection,
        _ options: ServeOptions,
        _ tls: ServerTLS?,
        _ handler: @escaping (ServedRequest, Responder) -> Void,
        of connections: OpenConnections
    ) {
        self.socket = socket
        self.options = options
        expectedTLS = tls
        self.handler = handler
        self.connections = connections
        loop = socket.loop
        conversation = ServerConversation(options)
    }

    /// Closes a connection that was not started.
    func refuse() { socket.abandon() }

    func start(as id: ConnectionLimitStateMachine.ID) {
        self.id = id
        socket.delegate = self
        timer = LoopTimer(on: loop) { [unowned self] in timeIsUp() }
        keepTime()
        if expectedTLS != nil { timer?.arm(after: options.handshakeTime) }
        socket.startReading()
    }

    /// Closes at once, since another client needs the connection.
    func makeRoom() { socket.abandon() }

    // MARK: Answers

    func answer(_ number: Int, _ response: ServedResponse) {
        perform(conversation.answered(number, response))
    }

    func begin(_ number: Int, _ response: ServedResponse, _ stream: ResponseStream) {
        self.stream = stream
        let action = conversation.began(number, response)
        if action.output.isEmpty { stream.abandon() }
        perform(action)
    }

    func stream(_ number: Int, _ bytes: [UInt8]) {
        perform(conversation.streamed(number, bytes))
        owed += bytes.count
        payBack()
    }

    func endStream(_ number: Int, isWhole: Bool) {
        perform(conversation.streamEnded(number, isWhole: isWhole))
    }

    // MARK: Events of the socket

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        if let tls = expectedTLS.take() { return begin(tls, with: bytes) }
        perform(conversation.received(bytes))
    }

    /// Begins TLS with the first bytes of the client, or refuses them.
    private func begin(_ tls: ServerTLS, with bytes: Span<UInt8>) {
        // The type of a handshake record (RFC 8446 §5.1), with which no request begins.
        guard !bytes.isEmpty, bytes[0] == 22 else {
            return perform(conversation.receivedPlaintext())
        }
        do throws(TLSError) {
            let layer = TLSLayer(try tls.makeSession()) { [weak self] _ in self?.arm() }
            socket.install(layer)
            layer.start(on: socket, with: bytes)
        } catch {
            socket.abandon()
        }
    }

    func connectionEndedInput(_ connection: TCPConnection) { perform(conversation.inputEnded()) }

    func connectionDrained(_ connection: TCPConnection) {
        payBack()
        perform(conversation.resumed())
    }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        timer = nil
        handler = nil
        perform(conversation.closed())
        connections.closed(id)
    }

    private func timeIsUp() {
        if deadline == .response {
            // A client is late only if it takes nothing of what waits for it.
            let isStalled = socket.pendingBytes > 0 && socket.bytesTaken == taken
            taken = socket.bytesTaken
            if !isStalled { return arm() }
        }
        perform(conversation.timeIsUp())
    }

    // MARK: Actions

    /// Carries out an action and those that follow it.
    private func perform(_ first: ServerConversation.Action) {
        var action = first
        while !action.isEmpty {
            carryOut(action)
            if action.closes { return }
            // A client that does not read gets no further responses.
            guard socket.isWritable else { break }
            action = conversation.resumed()
        }
        keepTime()
        if conversation.wantsInput, socket.isWritable {
            if socket.isReadingPaused { socket.resumeReading() }
        } else {
            socket.pauseReading()
        }
    }

    private func carryOut(_ action: ServerConversation.Action) {
        if !action.output.isEmpty { socket.write(action.output.span) }
        if action.abandons { abandon() }
        if case (let number, var request)? = action.request, let handler {
            request.client = socket.peerAddress?.ip
            let responder = Responder(self, number)
            self.responder = responder
            connections.answers(id)
            handler(request, responder)
        }
        if action.closes {
            timer = nil
            socket.close()
        }
    }

    private func abandon() {
        responder?.abandon()
        stream?.abandon()
        responder = nil
        stream = nil
        owed = 0
    }

    /// Gives the writer of a stream room for what the socket has taken.
    private func payBack() {
        guard owed > 0, socket.isWritable else { return }
        stream?.passedOn(owed)
        owed = 0
    }

    /// Begins the time for what the client has to do next.
    private func keepTime() {
        if conversation.deadline != .response { connections.waits(id) }
        guard conversation.deadline != deadline else { return }
        deadline = conversation.deadline
        arm()
    }

    private func arm() {
        switch deadline {
        case .first: timer?.arm(after: options.firstTime)
        case .idle: timer?.arm(after: options.idleTime)
        case .request: timer?.arm(after: options.requestTime)
        case .response: timer?.arm(after: options.stallTime)
        case .none: timer?.cancel()
        }
    }
}
