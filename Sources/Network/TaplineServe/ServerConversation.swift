// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel

/// What is said on one connection of a server: requests in, responses out, one after the other.
///
/// ```
/// head ──▶ body ──▶ answering ──▶ head …
///   │                ▲    └─────▶ streaming ──▶ head …
///   └────────────────┘
///   any ──▶ closed
/// ```
/// Requests that are sent before the previous response is complete wait in `input`, until `resumed`.
///
/// **Shape**: bytes and events in, actions out; no socket, no clock. Events that come too late
/// return an empty action.
package struct ServerConversation: ~Copyable {
    /// What has to be done after an event, in this order.
    package struct Action: Sendable {
        /// The bytes to send.
        package var output: [UInt8] = []
        /// The request to answer, which `answered` or `began` refers to by its number.
        package var request: (number: Int, request: ServedRequest)?
        /// Whether nobody waits for the answer to the current request any more.
        package var abandons = false
        /// Whether the connection closes after the output.
        package var closes = false

        /// Whether there is nothing to do.
        package var isEmpty: Bool { output.isEmpty && request == nil && !abandons && !closes }

        /// Nothing.
        package init() {}
    }

    /// What the client has to do in time.
    package enum Deadline: Sendable, Hashable {
        /// Begin the first request.
        case first
        /// Begin another request.
        case idle
        /// Send the rest of a request.
        case request
        /// Take the response, as far as there is one.
        case response
        /// The connection is closing.
        case none
    }

    /// What the answer to a request depends on.
    private struct Reply {
        let isHead: Bool
        let keepsAlive: Bool
        let isVersion10: Bool
    }

    private enum State {
        /// Between two requests, or within a head.
        case head
        /// Within a body; the head waits.
        case body(RequestHead, [UInt8])
        /// The request is complete, and its response has not begun.
        case answering(Reply)
        /// A response is streamed.
        case streaming(Reply)
        case closed
    }

    private let options: ServeOptions
    private var state = State.head
    private var parser: RequestParser
    private var decoder = BodyDecoder(.none, .request)
    /// The largest body of the request that is being read.
    private var bodyLimit = 0
    private var input: [UInt8] = []
    private var isInputEnded = false
    /// The number of requests so far.
    private var number = 0

    /// Begins a conversation.
    package init(_ options: ServeOptions = ServeOptions()) {
        self.options = options
        parser = RequestParser(limits: options.limits)
    }

    // MARK: State

    /// Whether more input can be handled now.
    package var wantsInput: Bool {
        switch state {
        case .head, .body: true
        case .answering, .streaming: input.isEmpty
        case .closed: false
        }
    }

    /// What the client has to do in time.
    package var deadline: Deadline {
        switch state {
        case .head: input.isEmpty ? (number == 0 ? .first : .idle) : .request
        case .body: .request
        case .answering, .streaming: .response
        case .closed: .none
        }
    }

    // MARK: Events of the client

    /// Handles bytes.
    package mutating func received(_ bytes: Span<UInt8>) -> Action {
        if case .closed = state { return Action() }
        input.append(copying: bytes)
        var action = Action()
        advance(&action)
        return action
    }

    /// Handles that a client of a server with TLS has begun with something else.
    package mutating func receivedPlaintext() -> Action {
        var action = Action()
        if case .closed = state { return action }
        refuse(400, "this port has HTTPS only", &action)
        return action
    }

    /// Handles that the client has taken enough of the last response, so that the next request may
    /// be read; called again after each action that is not empty.
    package mutating func resumed() -> Action {
        var action = Action()
        advance(&action)
        return action
    }

    /// Handles that the client sends no more.
    ///
    /// That cancels what is being answered: browsers close both directions at once when a page gives
    /// a request up, and a server is to respond to the closure as soon as it sees it (RFC 9112
    /// §9.5). A client that has closed only its half, such as a script with `nc -N`, still gets an
    /// answer that was not cancelled, but no stream, which could go on forever.
    package mutating func inputEnded() -> Action {
        isInputEnded = true
        var action = Action()
        switch state {
        case .head, .body: close(&action)
        case .answering: action.abandons = true
        case .closed: break
        case .streaming:
            action.abandons = true
            close(&action)
        }
        return action
    }

    /// Handles that the client has not done in time what `deadline` states.
    package mutating func timeIsUp() -> Action {
        var action = Action()
        switch state {
        case .head where input.isEmpty: close(&action)
        case .head, .body: refuse(408, "the request did not arrive in time", &action)
        case .answering, .streaming:
            action.abandons = true
            close(&action)
        case .closed: break
        }
        return action
    }

    /// Handles that the connection has closed.
    package mutating func closed() -> Action {
        var action = Action()
        switch state {
        case .answering, .streaming: action.abandons = true
        case .head, .body, .closed: break
        }
        state = .closed
        input = []
        return action
    }

    // MARK: Events of the server

    /// Handles the whole response to a request.
    package mutating func answered(_ number: Int, _ response: ServedResponse) -> Action {
        var action = Action()
        guard number == self.number, case .answering(let reply) = state else { return action }
        var response = response
        let hasContent = response.status != 204 && response.status != 304
        var framing = hasContent ? BodyFraming.length(response.body.count) : .none
        if reply.isHead, hasContent {
            // The length of what GET would return (RFC 9110 §8.6).
            framing = .none
            response.fields.set("Content-Length", to: "\(response.body.count)")
        }
        let keepsAlive = keeps(reply)
        let isWritten = write(response, framing, reply, keeps: keepsAlive, &action)
        if isWritten, hasContent, !reply.isHead { action.output += response.body }
        endReply(keeps: isWritten && keepsAlive, &action)
        return action
    }

    /// Handles the head of a response whose body is streamed.
    package mutating func began(_ number: Int, _ response: ServedResponse) -> Action {
        var action = Action()
        guard number == self.number, case .answering(let reply) = state else { return action }
        // HTTP/1.0 has no chunks (RFC 9112 §7.1).
        var framing = reply.isVersion10 ? BodyFraming.untilClose : .chunked
        if reply.isHead { framing = .none }
        let keepsAlive = keeps(reply) && !reply.isVersion10
        let isWritten = write(response, framing, reply, keeps: keepsAlive, &action)
        guard isWritten, !reply.isHead, !isInputEnded else {
            action.abandons = true
            endReply(keeps: isWritten && keepsAlive, &action)
            return action
        }
        state = .streaming(
            Reply(isHead: false, keepsAlive: keepsAlive, isVersion10: reply.isVersion10)
        )
        return action
    }

    /// Handles a part of a streamed body.
    package mutating func streamed(_ number: Int, _ bytes: [UInt8]) -> Action {
        var action = Action()
        guard number == self.number, case .streaming(let reply) = state, !bytes.isEmpty else {
            return action
        }
        if reply.isVersion10 {
            action.output = bytes
        } else {
            ChunkWriter.appendStart(bytes.count, to: &action.output)
            action.output += bytes
            ChunkWriter.appendEnd(to: &action.output)
        }
        return action
    }

    /// Handles the end of a streamed body.
    ///
    /// - Parameters:
    ///   - number: The number of the request.
    ///   - isWhole: Whether the body is complete; otherwise the connection ends without the last
    ///     chunk, so that the client notices.
    /// - Returns: What to do.
    package mutating func streamEnded(_ number: Int, isWhole: Bool) -> Action {
        var action = Action()
        guard number == self.number, case .streaming(let reply) = state else { return action }
        if isWhole, !reply.isVersion10 { action.output.append(contentsOf: "0\r\n\r\n".utf8) }
        endReply(keeps: isWhole && reply.keepsAlive, &action)
        return action
    }

    // MARK: Requests

    /// Reads input until a request is complete or more input is needed.
    private mutating func advance(_ action: inout Action) {
        while true {
            switch state {
            case .head:
                guard readHead(&action) else { return }
            case .body(let head, let content):
                guard readBody(head, content, &action) else { return }
            case .answering, .streaming, .closed: return
            }
        }
    }

    /// Reads a head; returns whether it was complete.
    private mutating func readHead(_ action: inout Action) -> Bool {
        guard !input.isEmpty else { return false }
        // Taken out, since the parser borrows it.
        let held = exchange(&input, with: [])
        do throws(HTTPError) {
            guard let head = try parser.parse(held.span) else {
                input = held
                if isInputEnded { close(&action) }
                return false
            }
            input = Array(held[head.byteCount...])
            bodyLimit = limit(for: head)
            if case .length(let length) = head.framing, length > bodyLimit {
                tooLarge(&action)
                return false
            }
            guard head.framing.hasBody else {
                begin(ServedRequest(head), reply(to: head), &action)
                return true
            }
            decoder = BodyDecoder(head.framing, .request, limits: options.limits)
            if head.expectsContinue, input.isEmpty {
                action.output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
            }
            state = .body(head, [])
            return true
        } catch {
            refuse(error.status, error.message, &action)
            return false
        }
    }

    /// Reads a body; returns whether it was complete.
    private mutating func readBody(
        _ head: RequestHead,
        _ content: [UInt8],
        _ action: inout Action
    ) -> Bool {
        var content = content
        // Taken out, since the decoder borrows it.
        let held = exchange(&input, with: [])
        var at = 0
        do throws(HTTPError) {
            reading: while true {
                let rest = held.span.extracting(at..<held.count)
                let part = try decoder.next(rest)
                content.append(copying: rest.extracting(part.content))
                at += part.consumed
                guard content.count <= bodyLimit else {
                    tooLarge(&action)
                    return false
                }
                switch part.state {
                case .more: continue
                case .ended: break reading
                case .needsBytes:
                    input = Array(held[at...])
                    state = .body(head, content)
                    return false
                }
            }
        } catch {
            refuse(error.status, error.message, &action)
            return false
        }
        input = Array(held[at...])
        begin(ServedRequest(head, body: content), reply(to: head), &action)
        return true
    }

    private func reply(to head: RequestHead) -> Reply {
        Reply(
            isHead: head.kind.isHead,
            keepsAlive: head.keepsAlive && !head.isVersion10 && mayStayOpen(after: head),
            isVersion10: head.isVersion10
        )
    }

    private func mayStayOpen(after head: RequestHead) -> Bool {
        options.keepsConnection.map { $0(ServedRequest(head)) } ?? true
    }

    private mutating func begin(
        _ request: ServedRequest,
        _ reply: Reply,
        _ action: inout Action
    ) {
        number += 1
        state = .answering(reply)
        action.request = (number, request)
    }

    private mutating func tooLarge(_ action: inout Action) {
        refuse(413, "the body is too large; expected at most \(bodyLimit) bytes", &action)
    }

    private func limit(for head: RequestHead) -> Int {
        guard head.framing.hasBody, let isLoggedIn = options.isLoggedIn,
            !isLoggedIn(ServedRequest(head))
        else {
            return options.maxBodyBytes
        }
        return min(options.maxAnonymousBodyBytes, options.maxBodyBytes)
    }

    // MARK: Responses

    private func keeps(_ reply: Reply) -> Bool { reply.keepsAlive && !isInputEnded }

    /// Writes a head; returns `false` if a field could not be sent.
    private func write(
        _ response: ServedResponse,
        _ framing: BodyFraming,
        _ reply: Reply,
        keeps: Bool,
        _ action: inout Action
    ) -> Bool {
        let head = Response(
            status: response.status,
            reason: ByteString(Response.reason(of: response.status)),
            fields: response.fields
        )
        let writing = ResponseWriting(
            framing: framing,
            answersHead: reply.isHead,
            connection: keeps ? .persist : .close
        )
        do throws(HTTPError) {
            try HeadWriter.append(head, writing, to: &action.output)
            return true
        } catch {
            return false
        }
    }

    /// Waits for the next request, or closes.
    private mutating func endReply(keeps: Bool, _ action: inout Action) {
        guard keeps else { return close(&action) }
        state = .head
    }

    /// Answers what is not a request, and closes (RFC 9112 §9.6).
    private mutating func refuse(_ status: Int, _ message: String, _ action: inout Action) {
        let response = ServedResponse(status, text: message + "\n")
        let reply = Reply(isHead: false, keepsAlive: false, isVersion10: false)
        let framing = BodyFraming.length(response.body.count)
        if write(response, framing, reply, keeps: false, &action) { action.output += response.body }
        close(&action)
    }

    private mutating func close(_ action: inout Action) {
        state = .closed
        input = []
        action.closes = true
    }
}
