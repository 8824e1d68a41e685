// SPDX-License-Identifier: MIT

/// Names whose values are never shown in messages.
///
/// Keys, tokens and passwords do not belong in a configuration, but people write them there.
package enum SecretNames {
    private static let words: Set<String> = [
        "key", "apikey", "secret", "token", "password", "passwd", "passphrase", "pwd", "credential",
        "credentials",
    ]

    /// Returns whether a name's last word is one of these: `hash_key`, `client-secret`.
    package static func contains(_ name: String) -> Bool {
        let last = name.split { $0 == "_" || $0 == "-" || $0 == "." }.last
        return last.map { words.contains($0.lowercased()) } ?? false
    }

    /// Returns a line of configuration in which the values of such names are replaced by asterisks.
    ///
    /// Only separators and quotes are considered, since the line may be part of an invalid text. In
    /// case of doubt, a value is hidden.
    static func hidingValues(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        var isFlow = false
        var position = line.startIndex
        var start = position
        while position < line.endIndex {
            let byte = line[position]
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { isFlow = true }
            let isName = isNameByte(byte)
            position += 1
            if isName { continue }
            let name = String(decoding: line[start..<position - 1], as: UTF8.self)
            let isSeparator = byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=")
            if isSeparator, contains(name) {
                position = hideValue(&line, position, isFlow: isFlow)
            } else if isQuote(byte), position < line.endIndex, line[position] == UInt8(ascii: ":"),
                contains(name)
            {
                position = hideValue(&line, position + 1, isFlow: isFlow)
            }
            start = position
        }
        return line
    }

    /// Hides the value that begins at an offset and returns its end.
    private static func hideValue(
        _ line: inout ArraySlice<UInt8>,
        _ start: Int,
        isFlow: Bool
    ) -> Int {
        var position = start
        while position < line.endIndex, line[position] == 0x20 || line[position] == 0x09 {
            position += 1
        }
        guard position < line.endIndex else { return position }
        let quote = isQuote(line[position]) ? line[position] : nil
        if quote != nil { position += 1 }
        while position < line.endIndex {
            let byte = line[position]
            if let quote {
                if byte == quote { break }
            } else if isFlow, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") {
                break
            } else if byte == UInt8(ascii: "#"), line[position - 1] == 0x20 {
                break
            }
            if byte != 0x20 { line[position] = UInt8(ascii: "*") }
            position += 1
        }
        return position
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
