// SPDX-License-Identifier: MIT

package import TaplineModel

/// The place of a value in a request or response, such as `json $.access_token`.
package struct ValuePlace: Sendable, Hashable {
    /// The part of a message that contains the value.
    package enum Part: Sendable, Hashable {
        /// A segment of the request's path, counted from 1.
        case segment(Int)
        /// An item of the request's query, by its decoded name.
        case query(ByteString)
        /// A header field, by its name in lower case.
        case header(ByteString)
        /// A cookie of Cookie or Set-Cookie, by its name.
        case cookie(ByteString)
        /// A value of a JSON body, by its path; elements of arrays are written `[*]`.
        case json(ByteString)
        /// A field of a form: of a request's body, or an input of a response's HTML.
        case form(ByteString)
        /// A `meta` element of HTML, by its name.
        case meta(ByteString)
        /// The target of a link or form of HTML.
        case link
        /// The text of a WebSocket message that is not JSON, or a word of it.
        case text
    }

    /// What of the part is the value.
    package enum Detail: Sendable, Hashable {
        case whole
        /// The part is a URL, and the value a segment of its path, counted from 1.
        case segment(Int)
        /// The part is a URL, and the value an item of its query.
        case query(ByteString)
        /// The value is the part after percent-decoding.
        case decoded
    }

    package let part: Part
    package let detail: Detail

    package init(_ part: Part, _ detail: Detail = .whole) {
        self.part = part
        self.detail = detail
    }

    /// The place as readable text, which `TokenPlace` parses again.
    package var text: String {
        let part =
            switch part {
            case .segment(let number): "path \(number)"
            case .query(let name): "query \(ValuePlace.escaped(name))"
            case .header(let name): "header \(ValuePlace.escaped(name))"
            case .cookie(let name): "cookie \(ValuePlace.escaped(name))"
            case .json(let path): "json \(ValuePlace.escaped(path))"
            case .form(let name): "form \(ValuePlace.escaped(name))"
            case .meta(let name): "meta \(ValuePlace.escaped(name))"
            case .link: "link"
            case .text: "text"
            }
        return switch detail {
        case .whole: part
        case .segment(let number): "\(part) path \(number)"
        case .query(let name): "\(part) query \(ValuePlace.escaped(name))"
        case .decoded: "\(part) decoded"
        }
    }

    /// The name of the value for people, such as `access_token`; empty if the place has none.
    package var name: String {
        if case .query(let name) = detail { return ValuePlace.escaped(name) }
        return switch part {
        case .segment, .link, .text: ""
        case .query(let name), .header(let name), .cookie(let name), .form(let name),
            .meta(let name):
            ValuePlace.escaped(name)
        case .json(let path): ValuePlace.lastMember(path)
        }
    }

    /// Whether the place means the same in all requests, whatever their route.
    var isEverywhere: Bool {
        switch part {
        case .header, .cookie: true
        default: false
        }
    }

    /// Percent-encodes the bytes that would end a word of the text, and others on request.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - others: Further bytes to encode.
    /// - Returns: The text, without blanks.
    static func escaped(_ name: ByteString, _ others: [UInt8] = []) -> String {
        var output: [UInt8] = []
        let isText = name.text != nil
        for byte in Array(copying: name.span) {
            let isPlain = byte > 0x20 && byte != 0x7F && byte != .ascii("%") && byte != .ascii("#")
            if isPlain, isText || byte < 0x80, !others.contains(byte) {
                output.append(byte)
            } else {
                PercentEncoding.escape(byte, into: &output)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func lastMember(_ path: ByteString) -> String {
        let text = path.description
        let end = text.lastIndex { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        guard let end else { return "" }
        let start = text[...end].lastIndex { ".'\"[$".contains($0) } ?? text.startIndex
        let name = text[text.index(after: start)...end]
        return escaped(ByteString(String(name)))
    }
}
