// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCommandLine
internal import TaplineFormats
internal import TaplineModel
internal import TaplineStore

/// `tapline show STORE... ID`.
enum ShowCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        let console = invocation.console
        var isDone = true
        let code = invocation.askStores {
            let arguments = try ShowArguments(invocation)
            let stores = try StoreSet(arguments.stores, countingOnce: ExchangeCopies()) {
                console.note("warning: \($0)")
            }
            let exchange = try arguments.choice.exchange(in: stores)
            isDone = try show(exchange, arguments, invocation)
            return stores
        }
        return isDone ? code : .failure
    }

    /// Shows an exchange, or writes the bytes that are asked for.
    ///
    /// - Returns: Whether all of it was written.
    private static func show(
        _ exchange: Exchange,
        _ arguments: ShowArguments,
        _ invocation: Invocation
    ) throws -> Bool {
        let output = PagedOutput(invocation)
        let isComplete: Bool
        switch arguments.content {
        case .exchange:
            var text = PrettyText(isColoured: invocation.usesColours) { bytes in
                output.write(bytes)
                return !output.isClosed
            }
            var printer = ExchangePrinter(maxLines: arguments.maxLines, schema: arguments.schema)
            printer.write(exchange, to: &text)
            isComplete = true
        case .messages:
            var bytes = ByteOutput(output, invocation.console)
            isComplete = messages(of: exchange, to: &bytes, invocation.console)
        case .body(let side):
            let body = try arguments.body(of: exchange, side)
            var bytes = ByteOutput(output, invocation.console)
            isComplete = write(body, side, arguments, to: &bytes, invocation.console)
        }
        return output.finish() && isComplete
    }

    /// Writes request and response as bytes of HTTP/1.1.
    private static func messages(
        of exchange: Exchange,
        to output: inout ByteOutput,
        _ console: Console
    ) -> Bool {
        let request = RawMessage(exchange.request)
        _ = output.write(request.bytes)
        let response = exchange.response.map { RawMessage($0) }
        if let response { _ = output.write(response.bytes) }
        output.end()
        for note in request.notes + (response?.notes ?? []) { console.note("note: \(note)") }
        if !exchange.messages.isEmpty {
            console.note("note: \(exchange.messages.count) messages are not part of these bytes")
        }
        return true
    }

    /// Writes a body, decoded unless its coding is wanted.
    private static func write(
        _ body: Body,
        _ side: ShowArguments.Side,
        _ arguments: ShowArguments,
        to output: inout ByteOutput,
        _ console: Console
    ) -> Bool {
        var isComplete = true
        if arguments.isRaw {
            _ = output.write(body.bytes)
        } else {
            do throws(CodingError) {
                try DecodedContent.forEachPiece(of: body) { output.write($0) }
            } catch {
                isComplete = body.isTruncated && error.code == .truncated
                if !isComplete {
                    console.note("tapline: error: the \(side.rawValue) body: \(error)")
                }
            }
        }
        output.end()
        if body.isTruncated {
            console.note(
                "note: only the first \(body.bytes.count) bytes of the \(side.rawValue) body are "
                    + "kept"
            )
        }
        return isComplete
    }
}

/// Bytes for standard output: unchanged, or on a terminal with control characters made visible.
struct ByteOutput {
    /// How much of a line waits for its end.
    private static let maxRest = 1 << 20

    private let output: PagedOutput
    private var text: TerminalText?
    /// The start of a line whose end has not come yet.
    private var rest: [UInt8] = []

    init(_ output: PagedOutput, _ console: Console) {
        self.output = output
        text = console.outputIsTerminal ? TerminalText(isColoured: false) : nil
    }

    /// Writes a piece.
    ///
    /// - Returns: Whether somebody still reads the output.
    mutating func write(_ bytes: [UInt8]) -> Bool {
        guard text != nil else {
            output.write(bytes)
            return !output.isClosed
        }
        if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) {
            show(rest + bytes[...end])
            rest = Array(bytes[(end + 1)...])
        } else {
            rest += bytes
        }
        if rest.count >= Self.maxRest { showStart() }
        return !output.isClosed
    }

    /// Shows a very long line in pieces, which end between characters.
    private mutating func showStart() {
        var end = rest.count
        while end > rest.count - 3, rest[end - 1] & 0xC0 == 0x80 { end -= 1 }
        if rest[end - 1] >= 0xC0 { end -= 1 }
        show(Array(rest[..<end]))
        rest.removeFirst(end)
    }

    /// Writes the last line.
    mutating func end() {
        if !rest.isEmpty { show(rest + [UInt8(ascii: "\n")]) }
        rest = []
    }

    /// Shows lines, the last of which may go on.
    private mutating func show(_ lines: [UInt8]) {
        guard var text else { return }
        self.text = nil
        text.showLines(lines.span)
        output.write(text.bytes)
        text.removeAll()
        self.text = text
    }
}
