// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// A set of bytes with a membership test of a few instructions.
struct ByteSet: Sendable {
    /// One bit for each byte.
    private var bits: SIMD4<UInt64>
    /// The set as shown in the tables of the documentation.
    let name: StaticString

    /// Makes the set of the bytes that a test accepts.
    init(_ name: StaticString, _ accepts: (UInt8) -> Bool) {
        self.name = name
        bits = .zero
        for byte in UInt8.min...UInt8.max where accepts(byte) {
            bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
        }
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        bits[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0
    }
}

extension ByteSet {
    static let digits = ByteSet("0-9") { $0.isDigit }
    static let hex = ByteSet("0-9a-f") { $0.isDigit || 0x61...0x66 ~= $0 }
    static let anyHex = ByteSet("0-9A-Fa-f") { $0.isDigit || 0x61...0x66 ~= $0 | 0x20 }
    static let letters = ByteSet("A-Za-z") { $0.isLetter }
    static let capitals = ByteSet("0-9A-Z") { $0.isDigit || 0x41...0x5A ~= $0 }
    static let smalls = ByteSet("0-9a-z") { $0.isDigit || 0x61...0x7A ~= $0 }
    static let alphanumeric = ByteSet("0-9A-Za-z") { $0.isDigit || $0.isLetter }
    /// The bytes of words.
    static let word = ByteSet("0-9A-Za-z_") { $0.isDigit || $0.isLetter || $0 == 0x5F }
    static let base64 = ByteSet("0-9A-Za-z+/") { byte in
        byte.isDigit || byte.isLetter || byte == 0x2B || byte == 0x2F
    }
    static let base64URL = ByteSet("0-9A-Za-z_-") { byte in
        byte.isDigit || byte.isLetter || byte == 0x2D || byte == 0x5F
    }
    static let dashed = ByteSet("0-9A-Za-z-") { $0.isDigit || $0.isLetter || $0 == 0x2D }
    /// The URL alphabet of base64, and the dots between parts.
    static let dotted = ByteSet("0-9A-Za-z_.-") { byte in
        byte.isDigit || byte.isLetter || byte == 0x2D || byte == 0x5F || byte == 0x2E
    }
    /// Both alphabets of base64.
    static let anyBase64 = ByteSet("0-9A-Za-z+/_-") { byte in
        base64.contains(byte) || byte == 0x2D || byte == 0x5F
    }
    /// Base64 in URLs, percent-encoded or not.
    static let escapedBase64 = ByteSet("0-9A-Za-z+/%") { base64.contains($0) || $0 == 0x25 }
    /// The bytes of a credential in `Authorization` (RFC 9110 §11.2, `token68`).
    static let token68 = ByteSet("0-9A-Za-z._~+/=-") { byte in
        anyBase64.contains(byte) || byte == 0x2E || byte == 0x7E || byte == 0x3D
    }
    static let pathSegments = ByteSet("0-9A-Za-z_@/-") { byte in
        base64URL.contains(byte) || byte == 0x40 || byte == 0x2F
    }
    static let equals = ByteSet("=") { $0 == 0x3D }
}
