// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineHTTP
internal import TaplineModel

/// Reads files of GoReplay (`.gor`).
///
/// **Shape**: a request gets the responses with its id. A replayed response beside the original one
/// becomes an exchange of its own, which refers to the first one. Exchanges are in the order of
/// their requests.
/// **Limits**: waits for the responses of at most 8,192 requests with 64 MiB.
final class GorParser: ImportParser {
    /// The line between messages, with the line feeds around it.
    private static let separator = Array("\n🐵🙈🙉\n".utf8)

    private let options: ImportOptions
    private var waiting = GorExchanges()
    private var buffer: [UInt8] = []
    /// How many bytes of the buffer cannot contain the start of a separator.
    private var searched = 0
    private var isSkipping = false
    private var line = 1
    private var byte = 0

    init(_ options: ImportOptions) { self.options = options }

    func append(_ chunk: Span<UInt8>, to items: inout ImportedItems) {
        buffer.append(copying: chunk)
        let separator = Self.separator
        var start = 0
        while let end = buffer.span.firstIndex(
            of: separator.span,
            in: max(start, searched)..<buffer.count
        ) {
            if !isSkipping {
                if end - start > options.maxRecordBytes {
                    reportTooLarge(to: &items)
                } else {
                    take(start..<end, to: &items)
                }
            }
            isSkipping = false
            move(over: start..<end + separator.count)
            start = end + separator.count
        }
        // The end may be a part of a separator.
        if buffer.count - start - separator.count > options.maxRecordBytes {
            if !isSkipping { reportTooLarge(to: &items) }
            isSkipping = true
            let kept = max(start, buffer.count - separator.count)
            move(over: start..<kept)
            start = kept
        }
        if start > 0 { buffer.removeFirst(start) }
        searched = max(0, buffer.count - separator.count + 1)
    }

    func finish(to items: inout ImportedItems) -> Bool {
        takeRest(&items)
        waiting.releaseAll(to: &items)
        return false
    }

    /// Reads the last message.
    private func takeRest(_ items: inout ImportedItems) {
        if isSkipping { return }
        // The last line may lack its end.
        let last = Self.separator.dropLast()
        let isComplete = buffer.count >= last.count && buffer.suffix(last.count) == last
        if isComplete { return take(0..<buffer.count - last.count, to: &items) }
        guard !buffer.span.isBlankText else { return }
        items.add(
            RecordError(
                code: .cutOff,
                message: "the file ends inside a message",
                line: line,
                byte: byte
            ),
            "messages (cut off)"
        )
    }

    private func move(over range: Range<Int>) {
        line += buffer.span.extracting(range).count(of: 0x0A)
        byte += range.count
    }

    private func reportTooLarge(to items: inout ImportedItems) {
        items.add(
            .tooLarge("the message", options.maxRecordBytes, line: line, at: byte),
            "messages (too large)"
        )
    }

    // MARK: Messages

    private func take(_ range: Range<Int>, to items: inout ImportedItems) {
        let copy = Array(buffer[range])
        let bytes = copy.span
        let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
        guard let header = GorHeader(bytes.extracting(0..<end)) else {
            let message = "malformed line before a message; expected kind, id and time"
            let error = RecordError(
                code: .wrongShape,
                message: message,
                line: line,
                column: 1,
                byte: byte
            )
            return items.add(error, "messages (malformed)")
        }
        let isRequest = header.kind == .request
        let text = bytes.extracting(min(end + 1, bytes.count)..<bytes.count)
        let message = RecordedMessage(text, isRequest ? .request : .response)
        if message.malformedLines > 0 { items.lose("headers (malformed)") }
        if message.hasMalformedChunks { items.lose("bodies (malformed chunks)") }
        let isTaken =
            isRequest ? takeRequest(header, message, &items) : takeResponse(header, message, &items)
        if !isTaken {
            let expected = isRequest ? "a request line" : "a status line"
            let error = RecordError(
                code: .wrongShape,
                message: "malformed message; expected \(expected)",
                line: line + 1,
                column: 1,
                byte: byte + end + 1
            )
            items.add(error, "messages (malformed)")
        }
    }

    private func takeRequest(
        _ header: GorHeader,
        _ message: RecordedMessage,
        _ items: inout ImportedItems
    ) -> Bool {
        guard let line = RequestLine(message.startLine.span) else { return false }
        var request = Request(line, message.fields, scheme: "http")
        request.body = message.body
        request.trailers = message.trailers
        waiting.add(request, header, to: &items)
        return true
    }

    private func takeResponse(
        _ header: GorHeader,
        _ message: RecordedMessage,
        _ items: inout ImportedItems
    ) -> Bool {
        guard var response = Response(statusLine: message.startLine.span) else { return false }
        response.fields = message.fields
        response.body = message.body
        response.trailers = message.trailers
        if !waiting.add(response, header, to: &items) {
            items.skip("responses (without a request)")
        }
        return true
    }
}

extension Response {
    /// Creates a response of a status line (RFC 9112 §4); `nil` if this is none.
    init?(statusLine line: Span<UInt8>) {
        guard line.starts(with: "HTTP/"), let space = line.firstIndex(of: 0x20),
            space + 4 <= line.count,
            let status = line.extracting(space + 1..<space + 4).decimal,
            space + 4 == line.count || line[space + 4] == 0x20
        else { return nil }
        self.init(
            status: status,
            reason: ByteString(line.extracting(min(space + 5, line.count)..<line.count)),
            version: ByteString(line.extracting(0..<space))
        )
    }
}
