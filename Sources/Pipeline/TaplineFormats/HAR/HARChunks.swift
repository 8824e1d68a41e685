// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel

/// Content in the pieces in which it was received, as Polly.js writes coded responses.
///
/// It is a JSON list in `content.text`, with each piece in base64, or in hexadecimal digits before
/// version 5. Each piece has its own padding. Joined, they are the received bytes, in their
/// Content-Encoding.
package enum HARChunks {
    /// How pieces are written.
    enum Form {
        /// Next to `encoding`.
        case base64
        /// Next to `_isBinary`.
        case hex
    }

    /// The member of `content` in `Exchange.har` that contains the form of the list.
    static let mark: StaticString = "text_chunks"

    static func name(_ form: Form) -> StaticString {
        switch form {
        case .base64: "base64"
        case .hex: "hex"
        }
    }

    /// The form in a record's `har`; `nil` if a reader could not determine the coding again.
    static func form(_ content: JSONValue?, of response: borrowing Response) -> Form? {
        guard let mark = part(mark, of: content) else { return nil }
        let coding = coding(response.fields)
        let own = response.body.coding
        guard !coding.isEmpty, own.isEmpty || own.span.equals(coding.span) else { return nil }
        if mark.matches("base64") { return .base64 }
        return mark.matches("hex") ? .hex : nil
    }

    /// The joined bytes of all base64 pieces; `nil` if the text is not a list of them.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? { decode(text, .base64) }

    /// The joined bytes of all pieces; `nil` if the text is not a list of them.
    static func decode(_ text: Span<UInt8>, _ form: Form) -> [UInt8]? {
        var output: [UInt8] = []
        var at = skipBlanks(text, 0)
        guard at < text.count, text[at] == .ascii("[") else { return nil }
        at = skipBlanks(text, at + 1)
        if at < text.count, text[at] == .ascii("]") {
            return skipBlanks(text, at + 1) == text.count ? [] : nil
        }
        while at < text.count, text[at] == .ascii("\"") {
            guard let end = text.firstIndex(of: .ascii("\""), from: at + 1),
                append(text.extracting(at + 1..<end), form, to: &output)
            else { return nil }
            at = skipBlanks(text, end + 1)
            guard at < text.count else { return nil }
            if text[at] == .ascii("]") {
                return skipBlanks(text, at + 1) == text.count ? output : nil
            }
            guard text[at] == .ascii(",") else { return nil }
            at = skipBlanks(text, at + 1)
        }
        return nil
    }

    /// Sets the coding and size of content that came in pieces.
    static func complete(_ response: inout Response) {
        let bytes = response.body.bytes
        response.body.size = bytes.count
        response.body.decodedSize = nil
        let coding = coding(response.fields)
        let codings = ContentCoding.list(coding.span)
        if codings.isEmpty { return }
        // Coded data is hardly ever valid UTF-8: a tool may have removed the coding that the field
        // declares.
        if isValidUTF8(bytes.span),
            (try? ContentCoding.decode(bytes.span, codings: codings, limits: .init())) == nil
        {
            return
        }
        response.body.coding = ByteString(coding)
    }

    /// The values of the Content-Encoding fields, joined.
    private static func coding(_ fields: borrowing FieldSection) -> [UInt8] {
        var coding: [UInt8] = []
        for value in fields.all("Content-Encoding") {
            if !coding.isEmpty { coding += ", ".utf8 }
            coding.append(copying: value.span)
        }
        return coding
    }

    /// Writes a list of one piece.
    static func write(_ bytes: [UInt8], _ form: Form, to json: inout JSONWriter) {
        var list: [UInt8] = [.ascii("[")]
        if !bytes.isEmpty {
            list.append(.ascii("\""))
            switch form {
            case .base64: Base64.encode(bytes.span, into: &list)
            case .hex:
                for byte in bytes {
                    list.append(hexDigit(byte >> 4))
                    list.append(hexDigit(byte & 0xF))
                }
            }
            list.append(.ascii("\""))
        }
        list.append(.ascii("]"))
        json.key("text")
        json.string(list.span)
        guard form == .base64 else { return }
        json.key("encoding")
        json.string("base64" as StaticString)
    }

    private static func append(
        _ text: Span<UInt8>,
        _ form: Form,
        to output: inout [UInt8]
    ) -> Bool {
        if form == .base64 { return Base64.decode(text, .lines, into: &output) == nil }
        guard text.count % 2 == 0 else { return false }
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = text[index].hexDigit, let low = text[index + 1].hexDigit else {
                return false
            }
            output.append(high << 4 | low)
        }
        return true
    }

    private static func skipBlanks(_ text: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while at < text.count, text[at] == 0x20 || 0x09...0x0D ~= text[at] { at += 1 }
        return at
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }
}
