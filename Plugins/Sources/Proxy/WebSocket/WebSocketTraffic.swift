// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineUpstream

/// Forwards the bytes of a WebSocket.
///
/// **Isolation**: the worker's thread.
protocol WebSocketTraffic: AnyObject {
    /// Whether neither side has sent a close frame (RFC 6455 §7.1.2), as far as the frames could be
    /// read.
    var isOpen: Bool { get }

    /// Whether the proxy may now send a frame of its own to either side.
    var isBetweenFrames: Bool { get }

    /// Forwards bytes of a direction.
    ///
    /// - Returns: Whether the connection continues; false if a stage has asked to close it.
    /// - Throws: Why the frames cannot be forwarded.
    func pass(
        _ bytes: Span<UInt8>,
        _ direction: StreamMessage.Direction,
        of exchange: ProxyExchange
    ) throws(WebSocketError) -> Bool

    /// Adds the kept messages and the problem, if any, to the record.
    func fill(_ exchange: inout Exchange)

    /// The bytes that are counted in the memory of the client.
    var keptBytes: Int { get }
}

extension Response {
    /// Whether the response switches the connection to WebSocket (RFC 6455 §4.1).
    var opensWebSocket: Bool {
        guard status == 101, let position = fields.firstIndex(of: "Upgrade") else { return false }
        return fields.value(at: position).equalsIgnoringCase("websocket")
    }
}

extension ProxyExchange {
    /// Starts reading a WebSocket, if it is one and a record or a hook wants it.
    ///
    /// - Parameter response: The server's response, before hooks.
    func beginWebSocket(_ response: Response) {
        guard response.opensWebSocket, lane.admits(held.exchange, &held.context) else { return }
        let compression = PerMessageDeflate(response: response.fields)
        let limit = captureMaxBytes
        let wanted = lane.wantedMessages(held.exchange, &held.context)
        tunnel?.webSocket =
            wanted > 0
            ? WebSocketRelay(compression, worker.settings, limit: limit, wanted: wanted)
            : WebSocketCapture(compression, worker.settings, limit: limit)
    }

    /// Forwards bytes of a WebSocket.
    func pass(
        _ bytes: Span<UInt8>,
        _ direction: StreamMessage.Direction,
        through webSocket: any WebSocketTraffic
    ) {
        do throws(WebSocketError) {
            if try webSocket.pass(bytes, direction, of: self) { return goAwayIfDraining() }
            perform(machine.aborted())
        } catch {
            // RFC 6455 §7.1.7: the side that broke the rules gets the reason, the other side only
            // the end.
            let isUp = direction == .up
            sendClose(isUp ? 1001 : error.code.closeCode, .up)
            sendClose(isUp ? error.code.closeCode : 1001, .down)
            guard case .endTunnel = machine.failed() else { return }
            closeTunnel(ExchangeFailure(code: "malformed_message", message: "\(error)"))
        }
    }

    /// Ends an open WebSocket when the pipeline stops, since it may stay open indefinitely.
    ///
    /// Both sides get a close frame that says that the other side goes away (RFC 6455 §7.4.1).
    ///
    /// A frame that is being forwarded is completed first.
    func goAwayIfDraining() {
        guard worker.isDraining, machine.isTunnel, let webSocket = tunnel?.webSocket,
            webSocket.isOpen, webSocket.isBetweenFrames
        else { return }
        sendClose(1001, .up)
        sendClose(1001, .down)
        guard case .endTunnel = machine.stopped() else { return }
        closeTunnel(.stopped)
    }

    private func sendClose(_ code: Int, _ direction: StreamMessage.Direction) {
        let payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
        send(WebSocketFrame(.close, payloadCount: 2), payload.span, direction)
    }

    /// Sends a frame, which is masked if it goes to the server.
    func send(
        _ frame: WebSocketFrame,
        _ payload: Span<UInt8>,
        _ direction: StreamMessage.Direction
    ) {
        var frame = frame
        frame.payloadCount = payload.count
        frame.mask = direction == .up ? worker.exchanges.makeMask() : nil
        var output = worker.takeBuffer()
        output.append(headOf: frame)
        var sent = 0
        while frame.mask != nil, sent < payload.count {
            let end = min(sent + 16_384, payload.count)
            output.append(payload.extracting(sent..<end), masking: frame.mask, at: sent)
            write(output.span, direction)
            output.removeAll(keepingCapacity: true)
            sent = end
        }
        write(output.span, direction)
        if frame.mask == nil { write(payload, direction) }
        worker.giveBack(output)
    }

    /// Sends bytes through the tunnel.
    func write(_ bytes: Span<UInt8>, _ direction: StreamMessage.Direction) {
        guard !bytes.isEmpty else { return }
        if direction == .up {
            if let player { return player.received(bytes) }
            server?.write(bytes)
        } else {
            tunnel?.bytesDown &+= bytes.count
            client.link.write(bytes)
        }
    }
}
