// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

extension ConfigNode {
    /// Appends the value as JSON text, the form in which `start` receives it.
    ///
    /// Plain scalars are numbers and booleans if YAML's core schema resolves them so (YAML 1.2
    /// §10.3); everything else is text.
    func appendJSON(to output: inout [UInt8]) {
        switch value {
        case .null: output.append(copying: "null".utf8.span)
        case .scalar(let text, let isPlain):
            if isPlain, let word = ConfigNode.plainJSON(text) {
                output.append(contentsOf: word.utf8)
            } else {
                ConfigNode.appendString(text, to: &output)
            }
        case .sequence(let elements):
            output.append(.ascii("["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(.ascii(",")) }
                element.appendJSON(to: &output)
            }
            output.append(.ascii("]"))
        case .mapping(let pairs):
            output.append(.ascii("{"))
            for (index, pair) in pairs.enumerated() {
                if index > 0 { output.append(.ascii(",")) }
                ConfigNode.appendString(pair.key.text ?? "", to: &output)
                output.append(.ascii(":"))
                pair.value.appendJSON(to: &output)
            }
            output.append(.ascii("}"))
        }
    }

    /// A number or boolean in JSON's notation; `nil` for text.
    private static func plainJSON(_ text: String) -> String? {
        switch text {
        case "true", "True", "TRUE": return "true"
        case "false", "False", "FALSE": return "false"
        default: break
        }
        if let number = Int(text) { return String(number) }
        let isDecimal = text.utf8.allSatisfy { byte in
            0x30...0x39 ~= byte || byte == .ascii(".") || byte == .ascii("-")
                || byte == .ascii("+") || byte == .ascii("e") || byte == .ascii("E")
        }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return String(number)
    }

    private static func appendString(_ text: String, to output: inout [UInt8]) {
        output.append(.ascii("\""))
        for byte in text.utf8 {
            switch byte {
            case .ascii("\""), .ascii("\\"):
                output.append(.ascii("\\"))
                output.append(byte)
            case 0..<0x20:
                output.append(copying: "\\u00".utf8.span)
                output.append(.ascii(byte < 0x10 ? "0" : "1"))
                output.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
            default: output.append(byte)
            }
        }
        output.append(.ascii("\""))
    }
}
