// SPDX-License-Identifier: MIT

import Glibc
import TaplineCodings
import TestSupport
import Testing

/// Encoded streams, made by other programs or here, and their decoded bytes.
enum Samples {
    static let text = Array(
        ("Tapline keeps what was received: order, case, duplicates and odd bytes survive. "
            + "Tapline keeps what was received.").utf8
    )

    /// `text`, encoded by the brotli library's own encoder with quality 5.
    static let brotliText = bytes(
        hex: "1b6f000044dd96eae8e7744b3694fb2f1c44c483a2534e03b6b630c3244de448070f5988a24f906d"
            + "a2db9eb988cc2ee03e3c2b1c3af3321a3c25702b0a8ab4f5a81ee1f1c545f90b154c29"
    )

    /// 10 MiB of zeros, encoded by the brotli library's own encoder with quality 5.
    static let brotliZeros = bytes(hex: "cbffff3f002400e2b14072effff2ffff038004401c1680eefd07")

    static let zeros = [UInt8](repeating: 0, count: 10 << 20)

    /// Returns `text` in a coding.
    static func coded(_ coding: ContentCoding) throws -> [UInt8] {
        coding == .brotli ? brotliText : try coding.encode(text.span)
    }

    /// Returns bytes in a coding.
    static func coded(_ bytes: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
        try coding.encode(bytes.span)
    }

    /// Returns bytes that compress to about half, the same on each run.
    static func mixed(count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = Random(seed: seed)
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            let value = random.byte()
            result.append(value < 128 ? value & 0x0f : value)
        }
        return result
    }

    static func bytes(hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension ContentCoding {
    /// Decodes and returns the error as a value.
    func outcome(
        _ bytes: [UInt8],
        limits: DecodingLimits = .init()
    ) -> Result<[UInt8], CodingError> {
        do throws(CodingError) {
            return .success(try decode(bytes.span, limits: limits))
        } catch {
            return .failure(error)
        }
    }

    func encoded(_ bytes: [UInt8], level: Int? = nil) throws -> [UInt8] {
        try encode(bytes.span, level: level)
    }
}

extension Result<[UInt8], CodingError> {
    var code: CodingError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }

    var bytes: [UInt8]? {
        if case .success(let bytes) = self { bytes } else { nil }
    }
}

/// A step of a test that failed in a system call.
struct SystemFailure: Error {
    let step: String
}

/// Runs a shell command with bytes as its input, and returns its output.
func shell(_ command: String, _ input: [UInt8] = []) throws -> [UInt8] {
    var template = Array("/tmp/tapline-codings-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { unsafe unlink(path) }
    let written = unsafe input.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress, bytes.count)
    }
    close(descriptor)
    guard written == input.count else {
        throw SystemFailure(step: "write")
    }
    guard let pipe = unsafe popen("{ \(command); } < \(path)", "r") else {
        throw SystemFailure(step: "popen")
    }
    defer { unsafe pclose(pipe) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe chunk.withUnsafeMutableBytes { bytes in
            unsafe fread(bytes.baseAddress, 1, bytes.count, pipe)
        }
        guard count > 0 else {
            return output
        }
        output.append(contentsOf: chunk[..<count])
    }
}

/// Returns whether the shell finds a program.
func isInstalled(_ program: String) -> Bool {
    unsafe system("command -v \(program) > /dev/null 2>&1") == 0
}

// Arrays instead of spans: the compiler (6.3.1) cannot borrow the span of a temporary array in a
// call that may throw.
extension ContentDecoder {
    func feed(_ bytes: [UInt8], _ output: inout [UInt8]) throws(CodingError) {
        try decode(bytes.span, appendingTo: &output)
    }

    func whole(_ bytes: [UInt8], _ output: inout [UInt8]) throws(CodingError) {
        try decodeWhole(bytes.span, appendingTo: &output)
    }
}

extension ContentEncoder {
    func feed(_ bytes: [UInt8], _ output: inout [UInt8]) throws(CodingError) {
        try encode(bytes.span, appendingTo: &output)
    }
}
