// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// The parts of a multipart form of curl (curl(1), `--form`).
extension MultipartForm {
    /// Adds a part `name=content`, with parameters after semicolons unless it is literal.
    mutating func add(_ word: ShellWord, isLiteral: Bool) throws(RecordError) {
        let bytes = word.bytes
        guard let equals = bytes.firstIndex(of: .ascii("=")) else {
            throw .shape("malformed part of a form; expected a name and '='", at: word.start)
        }
        var part = Part(name: Array(bytes[..<equals]), content: [])
        var rest = bytes[(equals + 1)...]
        if isLiteral {
            part.content = Array(rest)
            append(part)
            return
        }
        switch rest.first ?? 0 {
        case .ascii("@"), .ascii("<"):
            throw .shape(
                "'--form' reads a file, whose content is not in the command; expected the content",
                at: word.start
            )
        case .ascii("("), .ascii(")"):
            throw .shape("nested parts of a form are not supported", at: word.start)
        default: break
        }
        part.content = Self.value(&rest)
        while rest.popFirst() != nil {
            rest = rest.drop(while: \.isBlank)
            let parameter = Self.value(&rest)
            guard let equals = parameter.firstIndex(of: .ascii("=")) else { continue }
            let value = Array(parameter[(equals + 1)...])
            switch String(decoding: parameter[..<equals], as: UTF8.self) {
            case "type": part.type = value
            case "filename": part.fileName = Self.unquoted(value)
            case "headers", "encoder":
                throw .shape("'headers' and 'encoder' of a form are not supported", at: word.start)
            // curl skips other parameters.
            default: break
            }
        }
        append(part)
    }

    /// The text up to a semicolon, or between quotes.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        guard rest.first == .ascii("\"") else {
            var end = rest.startIndex
            var isQuoted = false
            while end < rest.endIndex, isQuoted || rest[end] != .ascii(";") {
                if rest[end] == .ascii("\"") { isQuoted.toggle() }
                end += 1
            }
            // Without an end, a quote is an ordinary character.
            if isQuoted { end = rest.firstIndex(of: .ascii(";")) ?? rest.endIndex }
            var value = rest[..<end]
            while value.last?.isBlank == true { value.removeLast() }
            rest = rest[end...]
            return Array(value)
        }
        let start = rest
        var output: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == .ascii("\"") {
                rest = rest.drop { $0 != .ascii(";") }
                return output
            }
            if byte == .ascii("\\"), let next = rest.first, "\\\"".utf8.contains(next) {
                rest.removeFirst()
                output.append(next)
            } else {
                output.append(byte)
            }
        }
        let end = start.firstIndex(of: .ascii(";")) ?? start.endIndex
        rest = start[end...]
        return Array(start[..<end])
    }

    private static func unquoted(_ text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        return text.first == .ascii("\"") ? value(&rest) : text
    }
}
