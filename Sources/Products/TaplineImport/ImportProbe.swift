// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Detects the format of a file by its first bytes.
enum ImportProbe {
    /// How many bytes are examined.
    static let headBytes = 1 << 16

    /// Returns the format of a file that begins with these `headBytes` bytes, or has only these.
    ///
    /// **Throws**: `RecordError` if the format is unknown.
    static func detect(_ head: Span<UInt8>) throws(RecordError) -> ImportFormat {
        var start = head.hasBytes("\u{FEFF}", at: 0) ? 3 : 0
        while start < head.count, head[start].isWhiteSpace { start += 1 }
        let text = head.extracting(start..<head.count)
        if head.hasBytes("SQLite format 3\0", at: 0) {
            throw unknown("this is a database; 'tapline convert' reads those of the sink 'sqlite'")
        }
        if isFlow(text) { return .mitmproxy }
        let end = text.firstIndex(of: 0x0A) ?? text.count
        if GorHeader(text.extracting(0..<end)) != nil { return .gor }
        if !text.isEmpty, text[0] == .ascii("{") { return json(text) }
        if let line = firstLine(text), mayBeLog(text.extracting(line)) { return .accessLog }
        if CurlParser.mayContainCommand(text) { return .curl }
        throw unknown(
            "unknown format; expected "
                + ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
        )
    }

    private static func unknown(_ message: String) -> RecordError {
        RecordError(code: .notRecording, message: message, byte: 0)
    }

    /// Whether the text begins like a dictionary of tagged netstrings whose first key is a text.
    private static func isFlow(_ text: Span<UInt8>) -> Bool {
        guard let colon = lengthEnd(text, 0), let second = lengthEnd(text, colon + 1),
            let length = text.extracting(colon + 1..<second).decimal, length < 256,
            second + 1 + length < text.count
        else { return false }
        let tag = text[second + 1 + length]
        return tag == .ascii(";") || tag == .ascii(",")
    }

    /// The position of the colon after a length; `nil` if there is no length.
    private static func lengthEnd(_ text: Span<UInt8>, _ start: Int) -> Int? {
        var at = start
        while at < text.count, text[at].isDigit, at - start < 12 { at += 1 }
        return at > start && at < text.count && text[at] == .ascii(":") ? at : nil
    }

    /// The range of the first line that is neither empty nor a comment, without blanks around it.
    private static func firstLine(_ text: Span<UInt8>) -> Range<Int>? {
        var start = 0
        while start < text.count {
            let end = text.firstIndex(of: 0x0A, from: start) ?? text.count
            let isCRLF = end > start && text[end - 1] == 0x0D
            let line = text.trimmed(start..<(isCRLF ? end - 1 : end))
            if !text.extracting(line).isBlankText, text[line.lowerBound] != .ascii("#") {
                return line
            }
            start = end + 1
        }
        return nil
    }

    /// Whether a line has the parts of an access log, even if the log's format is not supported:
    /// then the error is about the line.
    private static func mayBeLog(_ line: Span<UInt8>) -> Bool {
        do throws(RecordError) {
            _ = try LogLine.entry(line)
            return true
        } catch {
            guard let bracket = line.firstIndex(of: .ascii("[")) else { return false }
            // An address, and later a date with a slash after the day.
            return line[0].hexDigit != nil && bracket + 4 < line.count
                && line[bracket + 1].isDigit && line[bracket + 3] == .ascii("/")
        }
    }

    // MARK: JSON

    /// The format of a JSON object: a recording unless its keys are those of another format.
    private static func json(_ text: Span<UInt8>) -> ImportFormat {
        let keys = TopLevelKeys(text)
        if keys.contains("log") { return .har }
        if keys.contains("v") || keys.objects.contains("request") { return .ndjson }
        if keys.contains("info") || keys.contains("collection") { return .postman }
        return LogKeys.describeLog(keys.names) ? .accessLog : .ndjson
    }
}

extension ImportProbe {
    /// The keys of the object at the start of a text, without those of nested objects.
    struct TopLevelKeys {
        private(set) var names: Set<String> = []
        /// The keys whose values are objects.
        private(set) var objects: Set<String> = []

        init(_ text: Span<UInt8>) {
            var depth = 0
            var at = 0
            var key: String?
            var expectsKey = false
            while at < text.count {
                switch text[at] {
                case .ascii("\""):
                    guard let end = Self.stringEnd(text, at + 1) else { return }
                    if depth == 1, expectsKey {
                        key = ByteString(text.extracting(at + 1..<end)).description
                        names.insert(key ?? "")
                        expectsKey = false
                    }
                    at = end
                case .ascii("{"), .ascii("["):
                    if depth == 1, text[at] == .ascii("{"), let key { objects.insert(key) }
                    depth += 1
                    if depth == 1 { expectsKey = true }
                case .ascii("}"), .ascii("]"):
                    depth -= 1
                    if depth == 0 { return }
                case .ascii(",") where depth == 1:
                    expectsKey = true
                    key = nil
                default: break
                }
                at += 1
            }
        }

        func contains(_ name: String) -> Bool { names.contains(name) }

        private static func stringEnd(_ text: Span<UInt8>, _ start: Int) -> Int? {
            var at = start
            while at < text.count {
                if text[at] == .ascii("\"") { return at }
                at += text[at] == .ascii("\\") ? 2 : 1
            }
            return nil
        }
    }
}
