// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// A word of a command line, without its quotes.
struct ShellWord {
    var bytes: [UInt8]
    /// Where it begins in the file.
    let start: Int

    /// The word as text, with invalid UTF-8 replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Splits command lines of bash into words (bash(1), QUOTING), one list of commands at a time.
///
/// What the shell would have to run or look up is an error: substitutions, variables, input from
/// files. Output redirections are left out.
/// **Throws**: `RecordError` with the byte in the file.
struct ShellReader {
    /// Commands that are connected by `|`.
    typealias Pipeline = [[ShellWord]]

    /// The maximum number of words and pipes of a pipeline; the kernel allows even fewer.
    private static let maxWords = 100_000

    let bytes: [UInt8]
    /// The byte at which the next command begins.
    var position: Int

    /// Whether the last command ended with its line rather than with `;` or `&&`.
    private(set) var isAtLineStart = true

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// Reads the commands up to the next `;`, `&`, `&&`, `||` or line end.
    mutating func pipeline() throws(RecordError) -> Pipeline {
        var commands: Pipeline = [[]]
        var count = 0
        isAtLineStart = false
        while position < bytes.count {
            guard count <= Self.maxWords else { throw error("the command has too many words") }
            let byte = bytes[position]
            switch byte {
            case 0x20, 0x09: position += 1
            case 0x0D where peek(1) == 0x0A: position += 1
            case 0x0A:
                position += 1
                // A pipe continues in the next line.
                if commands.count > 1, commands[commands.count - 1].isEmpty { continue }
                isAtLineStart = true
                return commands
            case .ascii("#"): skipLine()
            case .ascii(";"):
                position += 1
                return commands
            case .ascii("&"):
                position += peek(1) == .ascii("&") ? 2 : 1
                if peek(0) == .ascii(">") {
                    try skipRedirection()
                } else {
                    return commands
                }
            case .ascii("|"):
                position += 1
                if peek(0) == .ascii("|") {
                    position += 1
                    return commands
                }
                commands.append([])
                count += 1
            case .ascii(">"): try skipRedirection()
            case .ascii("<"):
                throw error("input from a file or a here-document is not available")
            case .ascii("("), .ascii(")"):
                throw error("subshells are not supported; expected a plain command")
            default:
                if byte == .ascii("\\"), isContinuation(position) {
                    skipContinuation()
                } else {
                    let word = try self.word()
                    count += 1
                    // A number right before '>' is a file descriptor.
                    let isDescriptor = peek(0) == .ascii(">") && word.bytes.span.decimal != nil
                    if !isDescriptor { commands[commands.count - 1].append(word) }
                }
            }
        }
        isAtLineStart = true
        return commands
    }

    /// Moves to the start of the next line.
    mutating func skipLine() {
        position = bytes.span.firstIndex(of: 0x0A, inLongTextFrom: position) ?? bytes.count
    }

    // MARK: Parts

    private func peek(_ distance: Int) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func error(_ message: String, at place: Int? = nil) -> RecordError {
        .shape(message, at: place ?? position)
    }

    /// Whether the backslash at a position continues the line.
    private func isContinuation(_ place: Int) -> Bool {
        guard place + 1 < bytes.count else { return true }
        if bytes[place + 1] == 0x0A { return true }
        return bytes[place + 1] == 0x0D && place + 2 < bytes.count && bytes[place + 2] == 0x0A
    }

    private mutating func skipContinuation() {
        position = min(position + (peek(1) == 0x0D ? 3 : 2), bytes.count)
    }

    private mutating func skipRedirection() throws(RecordError) {
        while let byte = peek(0), byte == .ascii(">") || byte == .ascii("|") { position += 1 }
        if peek(0) == .ascii("&") { position += 1 }
        while let byte = peek(0), byte.isBlank { position += 1 }
        if let byte = peek(0), !byte.isWhiteSpace { _ = try word() }
    }

    private mutating func word() throws(RecordError) -> ShellWord {
        var word = ShellWord(bytes: [], start: position)
        let start = position
        while let byte = peek(0) {
            switch byte {
            case 0x20, 0x09, 0x0A, .ascii(";"), .ascii("&"), .ascii("|"), .ascii("<"), .ascii(">"),
                .ascii("("), .ascii(")"):
                // A reserved character that begins a word is left for the caller.
                guard position > start else { throw error("unexpected character") }
                return word
            case 0x0D where peek(1) == 0x0A: return word
            case .ascii("\\"):
                if isContinuation(position) {
                    skipContinuation()
                } else {
                    word.bytes.append(bytes[position + 1])
                    position += 2
                }
            case .ascii("'"): try singleQuoted(&word.bytes)
            case .ascii("\""): try doubleQuoted(&word.bytes)
            case .ascii("$"): try dollar(&word.bytes)
            case .ascii("`"): throw error("the shell would run a command here; expected its output")
            case .ascii("^") where position == start && peek(1) == .ascii("\""):
                throw error("quoting of cmd.exe; expected that of bash")
            default:
                word.bytes.append(byte)
                position += 1
            }
        }
        return word
    }

    private mutating func singleQuoted(_ output: inout [UInt8]) throws(RecordError) {
        let start = position + 1
        guard let end = bytes.span.firstIndex(of: .ascii("'"), from: start) else {
            throw RecordError(code: .cutOff, message: "a quote has no end", byte: position)
        }
        output += bytes[start..<end]
        position = end + 1
    }

    private mutating func doubleQuoted(_ output: inout [UInt8]) throws(RecordError) {
        let start = position
        position += 1
        while let byte = peek(0) {
            switch byte {
            case .ascii("\""):
                position += 1
                return
            case .ascii("\\"):
                guard let next = peek(1) else { break }
                if isContinuation(position) {
                    skipContinuation()
                    continue
                }
                if !"$`\"\\".utf8.contains(next) { output.append(byte) }
                output.append(next)
                position += 2
                continue
            case .ascii("`"): throw error("the shell would run a command here; expected its output")
            case .ascii("$"):
                try checkVariable()
                fallthrough
            default: output.append(byte)
            }
            position += 1
        }
        throw RecordError(code: .cutOff, message: "a quote has no end", byte: start)
    }

    /// Reads `$'…'`, `$"…"` or a dollar sign.
    private mutating func dollar(_ output: inout [UInt8]) throws(RecordError) {
        switch peek(1) ?? 0 {
        case .ascii("'"):
            var quote = ANSIQuote(bytes, at: position + 2)
            output += try quote.read(from: position)
            position = quote.position
        case .ascii("\""):
            position += 1
            try doubleQuoted(&output)
        default:
            try checkVariable()
            output.append(.ascii("$"))
            position += 1
        }
    }

    /// Throws if the dollar sign at the position begins a variable or a substitution.
    private func checkVariable() throws(RecordError) {
        guard let next = peek(1) else { return }
        if next.isLetter || next.isDigit || "_{(@*#?$!-".utf8.contains(next) {
            throw error("the shell would replace '$'; expected a text whose value is known")
        }
    }
}
