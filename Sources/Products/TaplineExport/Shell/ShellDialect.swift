// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The shell that an exported command is for.
package enum ShellDialect: String, CaseIterable, Sendable {
    /// bash, zsh and ksh.
    case bash
    case fish
    /// PowerShell 7.3 or later, which passes arguments unchanged to programs.
    case powershell

    /// Returns a word that the shell passes to a program unchanged.
    ///
    /// - Parameter bytes: The word.
    /// - Returns: The quoted word; `nil` if the shell cannot pass it, as with NUL.
    func quoted(_ bytes: [UInt8]) -> String? {
        if bytes.contains(0) { return nil }
        let text = String(validating: bytes, as: UTF8.self)
        if let text, text.isPlainWord { return text }
        switch self {
        case .bash: return Self.bash(bytes, text)
        case .fish: return Self.fish(bytes)
        case .powershell: return text.map(Self.powershell)
        }
    }

    /// Returns a word that the shell passes to a program unchanged, for text without NUL.
    func quoted(_ text: String) -> String { quoted(Array(text.utf8)) ?? "''" }

    /// The end of a line that continues in the next one, after a space.
    var continuation: String { self == .powershell ? "`" : "\\" }

    /// Single quotes keep everything but themselves, also `!` (bash(1), QUOTING); bytes that could
    /// not be read on a screen are written as `$'\ooo'`.
    private static func bash(_ bytes: [UInt8], _ text: String?) -> String {
        if let text, !text.hasControls {
            // By scalars: a quotation mark and a combining mark are one `Character`.
            return "'" + text.unicodeScalars.map { $0 == "'" ? "'\\''" : "\($0)" }.joined() + "'"
        }
        var output = "$'"
        for byte in bytes {
            switch byte {
            case 0x0A: output += "\\n"
            case 0x09: output += "\\t"
            case 0x0D: output += "\\r"
            // zsh would expand '!' here.
            case .ascii("'"), .ascii("\\"), .ascii("!"): output += octal(byte)
            case 0x20...0x7E: output.unicodeScalars.append(Unicode.Scalar(byte))
            default: output += octal(byte)
            }
        }
        return output + "'"
    }

    /// A backslash and three octal digits, which no following digit can extend.
    static func octal(_ byte: UInt8) -> String {
        "\\" + [byte >> 6, byte >> 3 & 7, byte & 7].map(String.init).joined()
    }

    /// Single quotes know `\\` and `\'`; other bytes are written outside of them (fish language,
    /// "Quotes" and "Escaping characters").
    private static func fish(_ bytes: [UInt8]) -> String {
        let isText = String(validating: bytes, as: UTF8.self) != nil
        var output: [UInt8] = []
        var isOpen = false
        func toggle(_ opens: Bool, _ output: inout [UInt8]) {
            if isOpen != opens { output.append(.ascii("'")) }
            isOpen = opens
        }
        for byte in bytes {
            let isRaw = byte < 0x20 && byte != 0x0A || byte == 0x7F || byte >= 0x80 && !isText
            toggle(!isRaw, &output)
            if isRaw {
                output.put("\\X\(byte.hexDigits)")
            } else {
                if byte == .ascii("'") || byte == .ascii("\\") { output.append(.ascii("\\")) }
                output.append(byte)
            }
        }
        toggle(false, &output)
        return output.isEmpty ? "''" : String(decoding: output, as: UTF8.self)
    }

    /// Single quotes keep everything but quotation marks, and typographic ones are quotation marks,
    /// too (about_Quoting_Rules).
    private static func powershell(_ text: String) -> String {
        if !text.hasControls {
            let quotes = "'‘’‚‛".unicodeScalars
            let scalars = text.unicodeScalars.map { quotes.contains($0) ? "\($0)\($0)" : "\($0)" }
            return "'\(scalars.joined())'"
        }
        var output = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "`", "$", "\"", "“", "”", "„": output += "`\(scalar)"
            case "\n", "\t", " "..."~", "\u{A0}"...: output.unicodeScalars.append(scalar)
            default: output += "`u{\(String(scalar.value, radix: 16))}"
            }
        }
        return output + "\""
    }
}

extension String {
    /// Whether no shell changes this word.
    fileprivate var isPlainWord: Bool {
        guard let first = utf8.first, first.isLetter || first == .ascii("-") || first == .ascii("/")
        else { return false }
        return utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_./".utf8.contains($0) }
    }

    /// Whether there are control characters other than line feeds and tabs.
    var hasControls: Bool {
        unicodeScalars.contains { scalar in
            scalar.value < 0x20 && scalar != "\n" && scalar != "\t"
                || scalar.value >= 0x7F && scalar.value < 0xA0
        }
    }
}

extension UInt8 {
    /// Two hexadecimal digits.
    var hexDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension [UInt8] {
    /// The bytes in base64.
    var base64: String {
        var output: [UInt8] = []
        Base64.encode(span, into: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
