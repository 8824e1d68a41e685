// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// One command of curl: converts its arguments into requests.
///
/// **Throws**: `RecordError` with the byte in the file. Messages show options, never values.
struct CurlCommand {
    /// The limit of the arguments and of each use of the input, times the number of URLs.
    private static let maxBytes = 64 << 20

    /// What is piped into the command; `nil` if nothing is.
    let input: ShellOutput?
    /// Options whose effect on the request is unknown.
    private(set) var losses = LossReport()
    private var request = CurlRequest()
    /// How many bytes of `input` were used so far.
    private var inputBytes = 0

    init(input: ShellOutput?) { self.input = input }

    /// The arguments of curl, also after what a history or a prompt adds; `nil` for other commands.
    static func arguments(of words: [ShellWord]) -> ArraySlice<ShellWord>? {
        for (index, word) in words.enumerated() {
            let text = word.text
            let name = text.split(separator: "/").last ?? ""
            if name == "curl" || name == "curl.exe" { return words[(index + 1)...] }
            guard isPrefix(text) else { return nil }
        }
        return nil
    }

    private static let programs: Set = [
        "sudo", "time", "env", "command", "exec", "nohup", "$", "%",
    ]

    /// Whether a word may precede a command: a history's number or time, an assignment, a program.
    private static func isPrefix(_ text: String) -> Bool {
        if programs.contains(text) { return true }
        if text.utf8.allSatisfy({ $0.isDigit || "-:/.*".utf8.contains($0) }) { return true }
        guard let equals = text.utf8.firstIndex(of: .ascii("=")) else { return false }
        let name = text.utf8[..<equals]
        return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isDigit || $0 == .ascii("_") }
    }

    /// Reads the arguments of a command that begins at `start`; `--next` begins another request.
    mutating func requests(
        _ arguments: ArraySlice<ShellWord>,
        from start: Int
    ) throws(RecordError) -> [CurlRequest] {
        var finished: [CurlRequest] = []
        var rest = arguments
        var endsOptions = false
        while let word = rest.popFirst() {
            let bytes = word.bytes
            if endsOptions || bytes.first != .ascii("-") || bytes.count == 1 {
                request.urls.append(word)
            } else if bytes.count == 2, bytes[1] == .ascii("-") {
                endsOptions = true
            } else if bytes[1] == .ascii("-") {
                let name = String(decoding: bytes[2...], as: UTF8.self)
                try take(CurlOption.long(name), "--\(name)", word, nil, &rest, &finished)
            } else {
                try takeLetters(word, &rest, &finished)
            }
        }
        finished.append(request)
        request = CurlRequest()
        let size = arguments.reduce(inputBytes) { $0 + $1.bytes.count }
        let count = finished.reduce(0) { $0 + $1.urls.count }
        guard count <= 1 || size <= Self.maxBytes / count else {
            throw .tooLarge("the command with all its URLs", Self.maxBytes, at: start)
        }
        guard finished.allSatisfy({ !$0.urls.isEmpty }) else {
            throw .shape("the command has no URL", at: start)
        }
        return finished
    }

    /// Reads letters such as `-sXPOST`: the first one with a value takes the rest of the word.
    private mutating func takeLetters(
        _ word: ShellWord,
        _ rest: inout ArraySlice<ShellWord>,
        _ finished: inout [CurlRequest]
    ) throws(RecordError) {
        var index = 1
        while index < word.bytes.count {
            let letter = word.bytes[index]
            index += 1
            let name = "-" + String(decoding: [letter], as: UTF8.self)
            let option = CurlOption.short(letter)
            let takesRest = option?.takesValue == true && index < word.bytes.count
            let value =
                takesRest
                ? ShellWord(bytes: Array(word.bytes[index...]), start: word.start + index) : nil
            try take(option, name, word, value, &rest, &finished)
            if takesRest { return }
        }
    }

    private mutating func take(
        _ option: CurlOption?,
        _ name: String,
        _ word: ShellWord,
        _ attached: ShellWord?,
        _ rest: inout ArraySlice<ShellWord>,
        _ finished: inout [CurlRequest]
    ) throws(RecordError) {
        guard let option else {
            throw .shape("unknown option '\(Self.shown(name))' of curl", at: word.start)
        }
        var value = ShellWord(bytes: [], start: word.start)
        if option.takesValue {
            guard let found = attached ?? rest.popFirst() else {
                throw .shape("'\(name)' needs a value", at: word.start)
            }
            value = found
        }
        switch option {
        case .next:
            finished.append(request)
            request = CurlRequest()
        case .flag, .value: break
        case .computedCredentials:
            losses.count("credentials (computed by curl)")
            request.hasComputedCredentials = true
        case .unknownEffect(_, let kind): losses.count(kind)
        case .refused(let what):
            throw .shape("'\(name)' reads \(what), which is not available", at: word.start)
        default: try set(option, name, value)
        }
    }

    /// An option as it may be shown: a long text in its place may be anything.
    private static func shown(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == .ascii("-") }
        if isPlain, name.utf8.count <= 40 { return name }
        let start = name.utf8.prefix(2)
        return start.allSatisfy { 0x21...0x7E ~= $0 } ? String(decoding: start, as: UTF8.self) : "-"
    }

    // MARK: Values

    private mutating func set(
        _ option: CurlOption,
        _ name: String,
        _ value: ShellWord
    ) throws(RecordError) {
        let bytes = value.bytes
        switch option {
        case .url: request.urls.append(value)
        case .method: request.method = bytes
        case .header: try request.addHeader(refusingFile(name, value))
        case .data:
            let text = try content(name, value)
            // curl removes line ends from files, and from what is piped into it.
            request.addData(bytes.first == .ascii("@") ? text.filter { !$0.endsField } : text)
        case .dataRaw: request.addData(bytes)
        case .dataBinary: request.addData(try content(name, value))
        case .dataURLEncode: request.addData(try urlEncoded(name, value))
        case .json:
            request.isJSON = true
            request.addData(try content(name, value), separator: [])
        case .form: try request.form.add(value, isLiteral: false)
        case .formString: try request.form.add(value, isLiteral: true)
        case .get: request.isGet = true
        case .head: request.isHead = true
        case .user: setUser(bytes)
        case .cookie: try addCookie(value)
        case .referer: request.referer = Array(value.text.replacing(";auto", with: "").utf8)
        case .userAgent: request.userAgent = bytes
        case .upload: request.upload = try content(name, value, mark: [])
        case .compressed: request.isCompressed = true
        case .range: request.range = bytes
        case .bearer: request.authorization = Array("Bearer ".utf8) + bytes
        case .target: request.target = bytes
        case .urlQuery: request.addQuery(try urlQuery(name, value))
        case .noGlob: request.isGlobbing = false
        case .version(let version): request.version = ByteString(version)
        case .next, .flag, .value, .unknownEffect, .computedCredentials, .refused: break
        }
    }

    private func refusingFile(_ name: String, _ value: ShellWord) throws(RecordError) -> ShellWord {
        guard value.bytes.first != .ascii("@") else { throw file(name, value) }
        return value
    }

    private func file(_ name: String, _ value: ShellWord) -> RecordError {
        .shape(
            "'\(name)' reads a file, whose content is not in the command; expected the content",
            at: value.start
        )
    }

    /// The content that a value stands for: itself, or what is piped into the command.
    private mutating func content(
        _ name: String,
        _ value: ShellWord,
        mark: [UInt8] = [.ascii("@")]
    ) throws(RecordError) -> [UInt8] {
        if !mark.isEmpty, !value.bytes.starts(with: mark) { return value.bytes }
        guard value.bytes == mark + [.ascii("-")], let input else { throw file(name, value) }
        guard let bytes = input.bytes else {
            throw .shape(
                "'\(name)' reads the output of another command; expected printf or echo",
                at: value.start
            )
        }
        inputBytes += bytes.count
        guard inputBytes == bytes.count || inputBytes <= Self.maxBytes else {
            throw .tooLarge("the command with its input", Self.maxBytes, at: value.start)
        }
        return bytes
    }

    /// `content`, `=content`, `name=content` (curl(1), `--data-urlencode`).
    private func urlEncoded(_ name: String, _ value: ShellWord) throws(RecordError) -> [UInt8] {
        let bytes = value.bytes
        guard let split = bytes.firstIndex(where: { $0 == .ascii("=") || $0 == .ascii("@") }) else {
            return PercentEncoding.encode(bytes.span)
        }
        guard bytes[split] == .ascii("=") else { throw file(name, value) }
        let encoded = PercentEncoding.encode(Array(bytes[(split + 1)...]).span)
        return split == 0 ? encoded : Array(bytes[...split]) + encoded
    }

    /// As `urlEncoded`; a `+` at the start keeps the rest as it is.
    private func urlQuery(_ name: String, _ value: ShellWord) throws(RecordError) -> [UInt8] {
        if value.bytes.first == .ascii("+") { return Array(value.bytes.dropFirst()) }
        return try urlEncoded(name, value)
    }

    private mutating func setUser(_ bytes: [UInt8]) {
        guard bytes.contains(.ascii(":")) else {
            losses.count("credentials (password asked for)")
            return
        }
        request.authorization = Array("Basic ".utf8) + bytes.base64
    }

    private mutating func addCookie(_ value: ShellWord) throws(RecordError) {
        if value.bytes.isEmpty { return }
        guard value.bytes.contains(.ascii("=")) else { throw file("--cookie", value) }
        if !request.cookie.isEmpty { request.cookie += "; ".utf8 }
        request.cookie += value.bytes
    }
}
