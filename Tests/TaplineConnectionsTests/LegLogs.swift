// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineModel
import TaplineNet

/// An exchange that records its server's input.
final class ServerLog: ServerLegOwner {
    private(set) var events: [String] = []
    private let ended: (ServerLog) -> Void

    /// Called when the response has ended, in whatever way.
    init(_ ended: @escaping (ServerLog) -> Void) { self.ended = ended }

    func received(interim response: Response) { events.append("interim \(response.status)") }

    func received(_ head: consuming ResponseHead) {
        events.append("head \(head.response.status)")
        if !head.framing.hasBody, !head.becomesTunnel { ended(self) }
    }

    func received(content: Span<UInt8>) { note("content", content) }

    func responseEnded(_ trailers: FieldSection) {
        events.append(trailers.isEmpty ? "ended" : "ended, \(trailers.count) trailers")
        ended(self)
    }

    func received(tunnel bytes: Span<UInt8>) { note("tunnel", bytes) }

    func serverDrained() {}

    func received(_ event: ServerLeg.Event) {
        switch event {
        case .responseBegan: return events.append("began")
        case .endedWithoutAlert: events.append("ended without alert")
        case .tunnelEnded: events.append("tunnel ended")
        case .unreadable(let error): events.append("unreadable \(error.name)")
        case .broken(let failure), .reset(let failure, _): events.append("broken \(failure.code)")
        }
        ended(self)
    }

    /// Content is recorded once, in however many pieces it arrives.
    private func note(_ word: String, _ bytes: Span<UInt8>) {
        let text = String(decoding: [UInt8](copying: bytes), as: UTF8.self)
        if let last = events.last, last.hasPrefix("\(word) ") {
            events[events.count - 1] = last + text
        } else {
            events.append("\(word) \(text)")
        }
    }
}

/// The owner of a client's leg, which records the client's input and answers its requests.
final class ClientLog: ClientLegOwner {
    private(set) var events: [String] = []
    private(set) var leg: ClientLeg?
    /// The response; none is sent if it is empty.
    var answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    /// The delay of a response, in milliseconds.
    var delay: Int64 = 0
    /// Whether requests wait, until `goOn`.
    var holdsBack = false
    var isRequestBlocked = false
    /// Handles an event instead of the log.
    var onEvent: (ClientLeg.Event, ClientLog) -> Bool = { _, _ in false }
    var onClose: (ClientLog) -> Void = { _ in }
    /// When `timeIsUp` is called after a request has arrived; `nil` for never.
    var askedTime: Microseconds?
    var onTime: (ClientLog) -> Microseconds? = { _ in nil }
    private var isHalf = false

    init(_ socket: TCPConnection, _ settings: ClientSettings = ClientSettings()) {
        let leg = ClientLeg(socket, settings)
        self.leg = leg
        leg.begin(self)
    }

    func note(_ event: String) { events.append(event) }

    func received(_ head: consuming RequestHead) {
        events.append("\(head.request.method) \(head.request.target)")
        isHalf = head.framing.hasBody
        if let askedTime { leg?.askAgain(after: askedTime) }
        if head.kind.isConnect {
            leg?.socket.write("HTTP/1.1 200 OK\r\n\r\n".utf8.span)
            leg?.becomeTunnel()
        } else if !isHalf {
            respond()
        }
    }

    func received(content: Span<UInt8>) {
        events.append("content " + String(decoding: [UInt8](copying: content), as: UTF8.self))
    }

    func requestEnded(_ trailers: FieldSection) {
        isHalf = false
        events.append("ended, \(leg?.bodyWireBytes ?? 0) bytes")
        respond()
    }

    private func respond() {
        guard !answer.isEmpty, let leg else { return }
        let answer = answer
        guard delay > 0 else { return end(answer, on: leg) }
        leg.socket.loop.after(delay) { [self] in end(answer, on: leg) }
    }

    private func end(_ answer: String, on leg: ClientLeg) {
        events.append("answer")
        leg.socket.write(answer.utf8.span)
        leg.exchangeEnded(keepsAlive: true)
    }

    func received(tunnel bytes: Span<UInt8>) -> Bool {
        let text = String(decoding: [UInt8](copying: bytes), as: UTF8.self)
        events.append("tunnel \(text)")
        return true
    }

    func clientDrained() { events.append("drained") }

    func timeIsUp() -> Microseconds? {
        events.append("time is up")
        return onTime(self)
    }

    func received(_ event: ClientLeg.Event) {
        events.append(Self.text(event))
        if onEvent(event, self) { return }
        switch event {
        case .unreadable, .failed, .handshakeFailed, .gone, .tunnelEnded: leg?.close()
        case .serverNeeded: leg?.serverOpened()
        default: break
        }
    }

    private static func text(_ event: ClientLeg.Event) -> String {
        switch event {
        case .waits: "waits"
        case .socks(let authority, let up, let down): "socks \(authority) \(up) \(down)"
        case .socksRefused: "socks refused"
        case .unreadable(let input):
            switch input.reason {
            case .malformed(let error): "malformed \(error.name) \(input.byteCount)"
            case .tls: "tls"
            case .late: "late \(input.byteCount)"
            }
        case .failed(let failure): "failed \(failure.code)"
        case .tunnelRead: "read"
        case .serverNeeded(let origin): "needs \(origin.hostPort)"
        case .tunnelPasses(let origin, let passed):
            "passes \(origin.hostPort) \(passed.hint ?? "-")"
        case .silence(let origin): "silence \(origin.hostPort)"
        case .handshakeFailed: "handshake failed"
        case .tunnelOpened: "opened"
        case .tunnelUnused(let error): "unused \(error?.code.name ?? "-")"
        case .tunnelEnded: "tunnel ended"
        case .gone: "gone"
        case .refused(_, let error): "refused \(error.name)"
        case .http2: "http2"
        case .sent: "sent"
        }
    }

    func closed(withinHandshake error: NetError?) {
        events.append("closed \(error?.code.name ?? "-")")
        leg = nil
        onClose(self)
    }
}
