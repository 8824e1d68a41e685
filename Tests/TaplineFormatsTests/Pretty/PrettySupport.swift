// SPDX-License-Identifier: MIT

import TaplineModel

@testable import TaplineFormats

/// What is written of a text, in pieces.
final class Written {
    var pieces: [[UInt8]] = []
    /// How many pieces are accepted.
    var limit = Int.max

    var text: String { String(decoding: pieces.joined(), as: UTF8.self) }

    func lines(isColoured: Bool = false) -> PrettyText {
        PrettyText(isColoured: isColoured) { [self] piece in
            pieces.append(piece)
            return pieces.count < limit
        }
    }
}

/// Content as it is shown.
func pretty(_ bytes: [UInt8], _ type: String = "", isWhole: Bool = true) -> String {
    let written = Written()
    var lines = written.lines()
    var printer = ContentPrinter()
    printer.write(bytes.span, ByteString(type), isWhole: isWhole, to: &lines)
    lines.flush()
    return written.text
}

func pretty(_ text: String, _ type: String = "", isWhole: Bool = true) -> String {
    pretty(Array(text.utf8), type, isWhole: isWhole)
}

/// An exchange as it is shown.
func pretty(_ exchange: Exchange, maxLines: Int? = nil, isColoured: Bool = false) -> String {
    let written = Written()
    var lines = written.lines(isColoured: isColoured)
    var printer = ExchangePrinter(maxLines: maxLines)
    printer.write(exchange, to: &lines)
    return written.text
}

/// A token with this header and payload.
func token(_ header: String, _ payload: String, _ signature: String = "c2lnbmF0dXJl") -> String {
    "\(base64URL(header)).\(base64URL(payload)).\(signature)"
}

func base64URL(_ text: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var output: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in text.utf8 {
        bits = bits << 8 | UInt32(byte)
        count += 8
        while count >= 6 {
            count -= 6
            output.append(digits[Int(bits >> count & 63)])
        }
    }
    if count > 0 { output.append(digits[Int(bits << (6 - count) & 63)]) }
    return String(decoding: output, as: UTF8.self)
}
