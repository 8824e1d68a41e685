// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The start of a JSON document that was cut off, completed to a document.
struct TruncatedJSON {
    /// The text up to the last complete value, with all lists closed.
    let completed: [UInt8]
    /// Where the rest begins, which is not part of the document.
    let rest: Int

    /// Reads a text; `nil` if it does not begin with a list.
    ///
    /// **Limits**: takes linear time. Whether the text is JSON is not checked.
    init?(_ bytes: Span<UInt8>) {
        var closers: [UInt8] = []
        // The end of the last complete value; no list opens or closes after it.
        var safe = 0
        var expectsKey = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case .ascii("{"), .ascii("["):
                closers.append(byte == .ascii("{") ? .ascii("}") : .ascii("]"))
                expectsKey = byte == .ascii("{")
                safe = index
            case .ascii("}"), .ascii("]"):
                guard closers.popLast() == byte else { return nil }
                safe = index
            case .ascii(","):
                safe = index - 1
                expectsKey = closers.last == .ascii("}")
            case .ascii(":"):
                expectsKey = false
            case .ascii("\""):
                guard let end = Self.stringEnd(bytes, from: index) else {
                    index = bytes.count
                    break
                }
                index = end
                if !expectsKey { safe = index }
            default:
                break
            }
        }
        guard safe > 0, !closers.isEmpty else { return nil }
        var text = Array(copying: bytes.extracting(0..<safe))
        text += closers.reversed()
        completed = text
        rest = safe
    }

    /// The position after the quote that ends a string; `nil` if there is none.
    private static func stringEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            let next = bytes.firstIndex(ofEither: .ascii("\""), .ascii("\\"), from: index)
            guard next < bytes.count else { return nil }
            if bytes[next] == .ascii("\"") { return next + 1 }
            index = next + 2
        }
        return nil
    }
}
