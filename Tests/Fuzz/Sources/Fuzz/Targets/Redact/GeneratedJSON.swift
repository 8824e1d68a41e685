// SPDX-License-Identifier: MIT

/// Valid JSON generated from any bytes, and the output that `redact` must produce for it.
struct GeneratedJSON {
    private(set) var text: [UInt8] = []
    private(set) var expected: [UInt8] = []
    private let secret: [UInt8]
    private let mask: [UInt8]

    /// The number of values left, so that a small input does not generate a large text.
    private var budget = 200

    init(secret: [UInt8], mask: [UInt8]) {
        self.secret = secret
        self.mask = mask
    }

    /// Names that the standard preset redacts, in some of the forms that JSON allows.
    private static let secretKeys = [
        "password", "Password", "pass-word", "\\u0070assword", "access_token", "accessToken",
        "API_KEY", "API KEY", "api.key", "credentials", "otp", "\\u0050in",
    ]
    private static let plainKeys = [
        "a", "user", "words", "total", "é", "", "\\\"", "x\\n",
    ]
    private static let blanks = ["", " ", "\n", "\r\n\t"]

    mutating func value(_ input: inout FuzzInput, depth: Int) {
        budget -= 1
        blank(&input)
        switch depth > 40 || budget < 0 ? 0 : input.below(6) {
        case 0:
            write(input.pick(["null", "true", "false", "0", "-1.5e+3", "123456789012345678901"]))
        case 1, 2: object(&input, depth)
        case 3: array(&input, depth)
        default: string(&input)
        }
        blank(&input)
    }

    private mutating func object(_ input: inout FuzzInput, _ depth: Int) {
        write("{")
        let count = input.below(5)
        if count == 0 { blank(&input) }
        for number in 0..<count {
            if number > 0 { write(",") }
            blank(&input)
            if input.below(3) == 0 {
                write("\"\(input.pick(Self.secretKeys))\"")
                blank(&input)
                write(":")
                blank(&input)
                planted(&input, depth)
                blank(&input)
            } else {
                write("\"\(input.pick(Self.plainKeys))\"")
                blank(&input)
                write(":")
                value(&input, depth: depth + 1)
            }
        }
        write("}")
    }

    private mutating func array(_ input: inout FuzzInput, _ depth: Int) {
        write("[")
        let count = input.below(5)
        for number in 0..<count {
            if number > 0 { write(",") }
            // Two strings could be a name and a value, which are redacted; avoid them.
            if count == 2, number == 0 {
                write("0")
                continue
            }
            value(&input, depth: depth + 1)
        }
        write("]")
    }

    /// Writes a secret as a string or within a container; the mask replaces all of it.
    private mutating func planted(_ input: inout FuzzInput, _ depth: Int) {
        var inner = GeneratedJSON(secret: secret, mask: mask)
        inner.budget = 20
        switch input.below(4) {
        case 0: text += quoted(secret)
        case 1: text += Array("[1,".utf8) + quoted(secret) + Array(",{}]".utf8)
        case 2: text += Array("{\"x\":[".utf8) + quoted(secret) + Array("]}".utf8)
        default:
            text += Array("[".utf8)
            inner.value(&input, depth: 30)
            text += inner.text + Array(",".utf8) + quoted(secret) + Array("]".utf8)
        }
        expected += quoted(mask)
    }

    private mutating func string(_ input: inout FuzzInput) {
        var bytes: [UInt8] = []
        for byte in input.take(input.below(20)) {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0..<0x20: bytes += Array("\\u00".utf8) + hex(byte)
            case 0x80...: bytes += Array("\\u00".utf8) + hex(byte)
            // Names with values, and URLs, are redacted within strings; avoid them.
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: bytes.append(byte)
            default: bytes.append(0x2D)
            }
        }
        text += quoted(bytes)
        expected += quoted(bytes)
    }

    private func hex(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private func quoted(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }

    private mutating func blank(_ input: inout FuzzInput) {
        write(input.pick(Self.blanks))
    }

    private mutating func write(_ part: String) {
        text += Array(part.utf8)
        expected += Array(part.utf8)
    }
}
