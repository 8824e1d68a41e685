// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import TaplineLeaks

/// A value that no test text contains by chance.
let secret = "Tq7-vZ2+kL9/xB4"

/// A member of a zip archive whose content is the secret, which is compressed only in name.
func zipMember(method: UInt8, flags: UInt8 = 0) -> [UInt8] {
    let size = UInt8(secret.utf8.count)
    var bytes: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0, flags, 0, method, 0]
    bytes += [UInt8](repeating: 0, count: 8)
    bytes += [size, 0, 0, 0, size, 0, 0, 0, 8, 0, 0, 0]
    bytes += Array("note.txt".utf8)
    bytes += Array(secret.utf8)
    return bytes
}

func values(_ texts: String...) throws -> [LeakValue] {
    try texts.enumerated().map { number, text in
        try #require(LeakValue(Array(text.utf8), name: "v\(number + 1)"))
    }
}

func scanner(_ texts: String..., detectors: (any DetectorSet)? = nil) throws -> UnitScanner {
    let values = try texts.enumerated().map { number, text in
        try #require(LeakValue(Array(text.utf8), name: "v\(number + 1)"))
    }
    return try UnitScanner(ValueIndex(values), detectors)
}

/// Describes the hits of a scan in short form: `v1@12`.
func described(_ found: [StreamHit], _ scanner: UnitScanner) -> [String] {
    found.map { hit, place in
        "\(scanner.kind(of: hit).name)@\(place.line.map { "\($0):" } ?? "")\(place.offset ?? -1)"
    }
}

/// Treats words of capital letters between two `#` as secrets.
struct Hashes: DetectorSet {
    let kinds = ["hashes"]

    func makeScanner() -> any SecretScanner { Scanner() }

    private final class Scanner: SecretScanner {
        func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding]) {
            var start: Int?
            for index in bytes.indices {
                if bytes[index] == UInt8(ascii: "#") {
                    if let first = start, index > first + 1 {
                        findings.append(SecretFinding(start: first, end: index + 1, kind: 0))
                        start = nil
                    } else {
                        start = index
                    }
                } else if !(0x41...0x5A ~= bytes[index]) {
                    start = nil
                }
            }
        }
    }
}

func coded(_ bytes: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
    var output: [UInt8] = []
    let encoder = try ContentEncoder(coding)
    try encoder.encode(bytes.span, appendingTo: &output)
    try encoder.finish(appendingTo: &output)
    return output
}
