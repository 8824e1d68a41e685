// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// What a command before a pipe prints, if that is known.
struct ShellOutput {
    /// The bytes; `nil` if only the command knows them.
    let bytes: [UInt8]?

    /// Evaluates `printf` and `echo`.
    init(_ words: [ShellWord], hasInput: Bool) {
        let arguments = words.dropFirst().map(\.bytes)
        switch words.first?.text {
        case "printf" where !hasInput: bytes = Self.printf(arguments)
        case "echo" where !hasInput: bytes = Self.echo(arguments)
        default: bytes = nil
        }
    }

    private static func echo(_ arguments: [[UInt8]]) -> [UInt8]? {
        let isBare = arguments.first == Array("-n".utf8)
        if let first = arguments.first, first.first == .ascii("-"), !isBare { return nil }
        let text = Array(arguments.dropFirst(isBare ? 1 : 0).joined(separator: [0x20]))
        return isBare ? text : text + [0x0A]
    }

    /// The format once, with `%s` and `%%`.
    private static func printf(_ arguments: [[UInt8]]) -> [UInt8]? {
        var arguments = arguments[...]
        if arguments.first == Array("--".utf8) { arguments.removeFirst() }
        guard let format = arguments.popFirst() else { return nil }
        var output: [UInt8] = []
        var reader = ANSIQuote(format, at: 0)
        while reader.position < format.count {
            let byte = format[reader.position]
            switch byte {
            case .ascii("\\"):
                do throws(RecordError) {
                    try reader.escape(&output)
                } catch {
                    return nil
                }
            case .ascii("%"):
                let next = reader.position + 1 < format.count ? format[reader.position + 1] : 0
                if next == .ascii("s") {
                    output += arguments.popFirst() ?? []
                } else if next == .ascii("%") {
                    output.append(byte)
                } else {
                    return nil
                }
                reader.skip(2)
            default:
                output.append(byte)
                reader.skip(1)
            }
        }
        return arguments.isEmpty ? output : nil
    }
}
