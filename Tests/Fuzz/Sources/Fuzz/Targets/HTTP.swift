// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel

/// HTTP/1.1: the result does not depend on pieces, and written messages are parsed as the same
/// ones.
func fuzzHTTP(_ input: inout FuzzInput) {
    switch input.below(7) {
    case 0: checkRequest(&input)
    case 1: checkResponse(&input)
    case 2: checkChunks(&input)
    case 3: checkFrames(&input)
    case 4: checkWrittenRequest(&input)
    case 5: checkEvents(&input)
    default: checkWrittenResponse(&input)
    }
}

private let limits = HTTPLimits(
    line: 600,
    head: 1200,
    fields: 12,
    chunkLine: 40,
    chunkExtensions: 100,
    trailers: 200
)

/// Returns where the pieces of `count` bytes end.
private func ends(_ input: inout FuzzInput, _ count: Int) -> [Int] {
    var ends = input.take(4).map { min(Int($0), count) }.sorted()
    ends.append(count)
    return ends
}

/// Whether bytes that are rejected as a whole are also rejected in pieces.
///
/// A line in pieces is parsed when its end arrives: until then there may be no error, or the line
/// may exceed a limit.
private func isSame(_ whole: HTTPError?, _ cut: HTTPError?) -> Bool {
    guard let cut else { return true }
    return whole?.code == cut.code || cut.code == .headTooLarge || cut.code == .lineTooLong
        || cut.code == .trailersTooLarge
}

// MARK: - Heads

private func parseRequest(_ bytes: [UInt8], _ ends: [Int]) -> Result<RequestHead?, HTTPError> {
    var parser = RequestParser(limits: limits)
    do throws(HTTPError) {
        for end in ends {
            if let head = try parser.parse(bytes.span.extracting(0..<end)) { return .success(head) }
        }
    } catch { return .failure(error) }
    return .success(nil)
}

private func parseResponse(
    _ bytes: [UInt8],
    _ ends: [Int],
    _ kind: RequestKind
) -> Result<ResponseHead?, HTTPError> {
    var parser = ResponseParser(limits: limits)
    do throws(HTTPError) {
        for end in ends {
            let head = try parser.parse(bytes.span.extracting(0..<end), answering: kind)
            if let head { return .success(head) }
        }
    } catch { return .failure(error) }
    return .success(nil)
}

private func checkRequest(_ input: inout FuzzInput) {
    let pieces = input.take(4)
    let bytes = input.rest()
    var splits = FuzzInput(bytes: pieces)
    let inPieces = parseRequest(bytes, ends(&splits, bytes.count))
    switch (parseRequest(bytes, [bytes.count]), inPieces) {
    case (.success(let whole), .success(let cut)):
        require(whole?.request == cut?.request, "the request depends on pieces")
        require(whole?.byteCount == cut?.byteCount, "the length depends on pieces")
        if let whole { checkForwarding(whole) }
    case (.failure(let whole), .failure(let cut)):
        require(isSame(whole, cut), "\(whole) whole, \(cut) in pieces")
    case (.failure, .success(nil)): break
    default: require(false, "accepted whole or in pieces, not both")
    }
}

/// Checks that an accepted request can be forwarded, and is then parsed as the same request.
private func checkForwarding(_ head: RequestHead) {
    guard !head.request.authority.isEmpty else { return }
    let form = head.form == .absolute ? TargetForm.origin : head.form
    let writing = RequestWriting(
        form: form,
        framing: head.framing,
        host: head.request.authority,
        connection: head.asksUpgrade ? .upgrade : .persist
    )
    let output = written(head.request, writing)
    guard let output else { return require(false, "a parsed message cannot be written") }
    guard case .success(let again?) = parseRequest(output, [output.count]) else {
        // Host and framing were added, so the message may exceed a limit.
        return require(output.count > 500 || head.request.fields.count > 9, "cannot be parsed")
    }
    require(again.request.method == head.request.method, "the method changed")
    require(again.request.authority == head.request.authority, "the authority changed")
    require(again.framing == head.framing, "the framing changed")
    require(again.asksUpgrade == head.asksUpgrade, "the upgrade changed")
    require(again.byteCount == output.count, "more than one message")
    let path = head.request.target.span.extracting(head.request.pathRange)
    let target = again.request.target.span
    require(path.isEmpty || form != .origin || target.starts(with: path), "the path changed")
    require(written(again.request, writing) == output, "the second output differs")
}

private func written(_ request: Request, _ writing: RequestWriting) -> [UInt8]? {
    var output: [UInt8] = []
    do { try HeadWriter.append(request, writing, to: &output) } catch {
        require(output.isEmpty, "a rejected head left bytes")
        return nil
    }
    return output
}

private func checkResponse(_ input: inout FuzzInput) {
    let flags = input.below(8)
    let kind = RequestKind(
        isHead: flags & 1 != 0,
        isConnect: flags & 2 != 0,
        asksUpgrade: flags & 4 != 0
    )
    let pieces = input.take(4)
    let bytes = input.rest()
    var splits = FuzzInput(bytes: pieces)
    let inPieces = parseResponse(bytes, ends(&splits, bytes.count), kind)
    switch (parseResponse(bytes, [bytes.count], kind), inPieces) {
    case (.success(let whole), .success(let cut)):
        require(whole?.response == cut?.response, "the response depends on pieces")
        require(whole?.byteCount == cut?.byteCount, "the length depends on pieces")
        if let whole { checkForwarding(whole, kind) }
    case (.failure(let whole), .failure(let cut)):
        require(isSame(whole, cut), "\(whole) whole, \(cut) in pieces")
    case (.failure, .success(nil)): break
    default: require(false, "accepted whole or in pieces, not both")
    }
}

private func checkForwarding(_ head: ResponseHead, _ kind: RequestKind) {
    var output: [UInt8] = []
    let close = head.framing == .untilClose
    let writing = ResponseWriting(
        framing: head.framing,
        answersHead: kind.isHead,
        becomesTunnel: head.becomesTunnel,
        connection: close ? .close : head.response.status == 101 ? .upgrade : .persist
    )
    do { try HeadWriter.append(head.response, writing, to: &output) } catch {
        return require(false, "a parsed message cannot be written: \(error)")
    }
    guard case .success(let again?) = parseResponse(output, [output.count], kind) else {
        return require(output.count > 500 || head.response.fields.count > 9, "cannot be parsed")
    }
    require(again.response.status == head.response.status, "the status changed")
    require(again.framing == head.framing, "the framing changed")
    require(again.byteCount == output.count, "more than one message")
}

// MARK: - Bodies

private struct ChunkedBody: Equatable {
    var content: [UInt8] = []
    var consumed = 0
    var ended = false
    var error: HTTPError?
    var trailers = FieldSection()

    init(_ bytes: [UInt8], _ ends: [Int]) {
        var decoder = BodyDecoder(.chunked, .request, limits: limits)
        do throws(HTTPError) {
            for end in ends {
                while !ended {
                    let rest = bytes.span.extracting(consumed..<end)
                    let part = try decoder.next(rest)
                    content.append(copying: rest.extracting(part.content))
                    consumed += part.consumed
                    ended = part.state == .ended
                    if part.state != .more { break }
                }
            }
        } catch { self.error = error }
        if error == nil {
            require(decoder.wireBytes == consumed, "wire bytes are miscounted")
            require(decoder.contentBytes == content.count, "content bytes are miscounted")
        }
        trailers = decoder.trailers
    }
}

private func checkChunks(_ input: inout FuzzInput) {
    let pieces = input.take(4)
    let bytes = input.rest()
    var splits = FuzzInput(bytes: pieces)
    let whole = ChunkedBody(bytes, [bytes.count])
    let cut = ChunkedBody(bytes, ends(&splits, bytes.count))
    if whole.error != nil {
        return require(isSame(whole.error, cut.error) && !cut.ended, "\(whole), \(cut)")
    }
    require(whole == cut, "\(whole), in pieces \(cut)")
    guard whole.ended else { return }
    var output: [UInt8] = []
    if !whole.content.isEmpty {
        ChunkWriter.appendStart(whole.content.count, to: &output)
        output += whole.content
        ChunkWriter.appendEnd(to: &output)
    }
    do { try ChunkWriter.appendLast(trailers: whole.trailers, to: &output) } catch {
        return require(false, "parsed trailers cannot be written: \(error)")
    }
    let again = ChunkedBody(output, [output.count])
    // The writer adds a space after each colon.
    if again.error?.code == .trailersTooLarge { return }
    require(again.error == nil && again.ended, "a written body cannot be parsed: \(again)")
    require(again.content == whole.content && again.consumed == output.count, "the body changed")
}

private func checkFrames(_ input: inout FuzzInput) {
    let flags = input.below(4)
    let sender: WebSocketSender = flags & 1 == 0 ? .client : .server
    let pieces = input.take(4)
    let bytes = input.rest()
    var splits = FuzzInput(bytes: pieces)
    let whole = messages(bytes, [bytes.count], sender, flags)
    let cut = messages(bytes, ends(&splits, bytes.count), sender, flags)
    require(whole.0 == cut.0 && whole.1 == cut.1, "the messages depend on pieces")
    var output: [UInt8] = []
    for message in whole.0 where !message.isTruncated {
        let frame = WebSocketFrame(
            message.opcode,
            payloadCount: 0,
            isCompressed: message.isCompressed,
            mask: sender == .client ? WebSocketMask(key: 0x1234_5678) : nil
        )
        output.append(frame, payload: message.bytes.span)
    }
    let again = messages(output, [output.count], sender, flags)
    require(again.0 == whole.0.filter { !$0.isTruncated }, "written messages differ")
}

private func messages(
    _ bytes: [UInt8],
    _ ends: [Int],
    _ sender: WebSocketSender,
    _ flags: Int
) -> ([WebSocketMessage], WebSocketError?) {
    var assembler = WebSocketMessageAssembler(
        from: sender,
        keeps: 300,
        maximum: 1000,
        allowsCompression: flags & 2 != 0
    )
    var found: [WebSocketMessage] = []
    var consumed = 0
    do throws(WebSocketError) {
        for end in ends {
            while true {
                let step = try assembler.next(bytes.span.extracting(consumed..<end))
                consumed += step.consumed
                guard let message = step.message else { break }
                found.append(message)
            }
        }
    } catch { return (found, error) }
    return (found, nil)
}

private func checkEvents(_ input: inout FuzzInput) {
    let pieces = input.take(4)
    let bytes = input.rest()
    var splits = FuzzInput(bytes: pieces)
    let whole = events(bytes, [bytes.count])
    require(whole == events(bytes, ends(&splits, bytes.count)), "the events depend on pieces")
    require(whole.allSatisfy { $0.data.count <= $0.size }, "more data than bytes")
}

private func events(_ bytes: [UInt8], _ ends: [Int]) -> [ServerSentEvent] {
    var parser = ServerSentEventParser(keeps: 100)
    var found: [ServerSentEvent] = []
    var consumed = 0
    for end in ends {
        while true {
            let step = parser.next(bytes.span.extracting(consumed..<end))
            consumed += step.consumed
            guard let event = step.event else { break }
            found.append(event)
        }
    }
    require(consumed == bytes.count, "bytes were left over")
    return found
}

// MARK: - Messages that a script may produce

private func fields(_ input: inout FuzzInput) -> FieldSection {
    let names = [
        "Host", "Content-Length", "Transfer-Encoding", "Connection", "TE", "Upgrade", "X-A", "Via",
    ]
    var fields = FieldSection()
    for _ in 0..<input.below(8) {
        let choice = input.below(names.count + 1)
        let name = choice < names.count ? Array(names[choice].utf8) : input.take(input.below(7))
        fields.append(name: name.span, value: input.take(input.below(12)).span)
    }
    return fields
}

private let framings: [BodyFraming] = [.none, .length(0), .length(7), .chunked, .untilClose]

private func checkWrittenRequest(_ input: inout FuzzInput) {
    let writing = RequestWriting(
        form: TargetForm(rawValue: UInt8(input.below(4))) ?? .origin,
        framing: input.pick(framings),
        host: input.below(2) == 0 ? nil : ByteString(input.take(input.below(9))),
        connection: ConnectionWriting(rawValue: UInt8(input.below(4))) ?? .persist,
        via: input.below(2) == 0 ? nil : ByteString(input.take(input.below(9)))
    )
    let request = Request(
        method: input.below(2) == 0 ? "POST" : ByteString(input.take(input.below(9))),
        target: input.below(2) == 0 ? "/" : ByteString(input.take(input.below(20))),
        authority: input.below(2) == 0 ? "a:1" : ByteString(input.take(input.below(9))),
        fields: fields(&input)
    )
    guard let output = written(request, writing) else { return }
    guard case .success(let head?) = parseRequest(output, [output.count]) else {
        return require(
            false,
            "written, but not parsed: \(String(decoding: output, as: UTF8.self).debugDescription)"
        )
    }
    require(head.byteCount == output.count, "more than one message was written")
    require(head.framing == writing.framing, "a different framing was written")
    require(head.request.method == request.method, "a different method was written")
}

private func checkWrittenResponse(_ input: inout FuzzInput) {
    let flags = input.below(4)
    let kind = RequestKind(isHead: flags & 1 != 0, isConnect: flags & 2 != 0, asksUpgrade: true)
    let status = 100 + 2 * input.below(256)
    let tunnel = status == 101 || (kind.isConnect && 200..<300 ~= status)
    let writing = ResponseWriting(
        framing: input.pick(framings),
        answersHead: kind.isHead,
        becomesTunnel: tunnel,
        connection: ConnectionWriting(rawValue: UInt8(input.below(4))) ?? .persist
    )
    let response = Response(
        status: status,
        reason: ByteString(input.take(input.below(9))),
        fields: fields(&input)
    )
    var output: [UInt8] = []
    do { try HeadWriter.append(response, writing, to: &output) } catch { return }
    guard case .success(let head?) = parseResponse(output, [output.count], kind) else {
        return require(
            false,
            "written, but not parsed: \(String(decoding: output, as: UTF8.self).debugDescription)"
        )
    }
    require(head.byteCount == output.count, "more than one message was written")
    require(head.response.status == status, "a different status was written")
    let hasBody = writing.framing.hasBody
    require(hasBody == head.framing.hasBody, "a different framing was written")
}

extension Span where Element == UInt8 {
    fileprivate func starts(with prefix: Span<UInt8>) -> Bool {
        count >= prefix.count && extracting(0..<prefix.count).equals(prefix)
    }
}
