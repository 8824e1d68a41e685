// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How the content of a request gets from a shell to a program.
enum ShellBody {
    /// The largest content that is an argument; Linux allows 128 KiB for each argument.
    static let maxArgument = 64 << 10

    /// Content that can be an argument, quoted.
    case argument(String)
    /// Content that has to come from a pipe or a file, as a command that prints it.
    case printed(String)

    /// Decides how to pass content.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - shell: The shell.
    init(_ bytes: [UInt8], for shell: ShellDialect) {
        let text = String(validating: bytes, as: UTF8.self)
        if bytes.count <= Self.maxArgument, let text, !text.hasControls {
            self = .argument(shell.quoted(text))
        } else {
            self = .printed(Self.command(bytes, shell))
        }
    }

    /// A command that prints the bytes; in PowerShell an expression for them.
    private static func command(_ bytes: [UInt8], _ shell: ShellDialect) -> String {
        switch shell {
        case .bash: "printf '\(format(bytes))'"
        case .fish: "printf '%s' '\(bytes.base64)' | base64 -d"
        case .powershell: "[Convert]::FromBase64String('\(bytes.base64)')"
        }
    }

    /// The bytes as a format of `printf`, which is built into every shell.
    private static func format(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case .ascii("%"): text += "%%"
            // At the start, '-' would begin an option.
            case .ascii("-") where index == 0: text += ShellDialect.octal(byte)
            case 0x20...0x7E where byte != .ascii("'") && byte != .ascii("\\"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += ShellDialect.octal(byte)
            }
        }
        return text
    }
}
