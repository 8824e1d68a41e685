// SPDX-License-Identifier: MIT

/// Values in tagged netstrings as mitmproxy writes them: length, colon, content, type.
///
/// **Source**: https://tnetstrings.info, and the module `mitmproxy.io.tnetstring` for text (`;`).
enum TNetString {
    static let null = Array("0:~".utf8)

    static func bool(_ value: Bool) -> [UInt8] { tagged(Array("\(value)".utf8), "!") }

    static func integer(_ value: Int) -> [UInt8] { tagged(Array("\(value)".utf8), "#") }

    static func bytes(_ value: [UInt8]) -> [UInt8] { tagged(value, ",") }

    static func text(_ value: String) -> [UInt8] { tagged(Array(value.utf8), ";") }

    /// Seconds with six decimals.
    static func seconds(microseconds: Int64) -> [UInt8] {
        let (whole, rest) = (microseconds / 1_000_000, microseconds % 1_000_000)
        let digits = String(rest.magnitude)
        let sign = microseconds < 0 && whole == 0 ? "-" : ""
        let zeros = String(repeating: "0", count: 6 - digits.count)
        return tagged(Array("\(sign)\(whole).\(zeros)\(digits)".utf8), "^")
    }

    static func list(_ values: [[UInt8]]) -> [UInt8] { tagged(Array(values.joined()), "]") }

    static func dictionary(_ members: [(String, [UInt8])]) -> [UInt8] {
        tagged(members.flatMap { text($0.0) + $0.1 }, "}")
    }

    private static func tagged(_ content: [UInt8], _ type: Unicode.Scalar) -> [UInt8] {
        var output = Array("\(content.count):".utf8)
        output.reserveCapacity(output.count + content.count + 1)
        output += content
        output.append(UInt8(truncatingIfNeeded: type.value))
        return output
    }
}
