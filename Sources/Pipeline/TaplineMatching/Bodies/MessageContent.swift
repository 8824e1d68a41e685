// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

/// The body of a message for comparison: its meaning, not its notation.
package indirect enum MessageContent: Sendable, Hashable {
    /// There is a body, but it is not visible.
    case unseen
    case form(RequestParts.Items)
    case json(JSON)
    case bytes([UInt8])

    /// A JSON value; objects are equal whatever the order of their members.
    package indirect enum JSON: Sendable, Hashable {
        case object([String: JSON])
        case array([JSON])
        case string(String)
        /// A number, `true`, `false` or `null`, as written.
        case word(String)
    }

    package init(_ request: Request) { self.init(request.body, request.contentType) }

    package init(_ response: Response) { self.init(response.body, response.contentType) }

    private init(_ body: Body, _ type: ByteString) {
        let bytes = body.bytes
        if bytes.isEmpty, body.isTruncated {
            self = .unseen
        } else if type.mediaType.description == "application/x-www-form-urlencoded",
            bytes.first != 0x7B
        {
            self = .form(RequestParts.items(bytes.span, in: 0..<bytes.count))
        } else if let json = JSON(bytes) {
            self = .json(json)
        } else {
            self = .bytes(MessageContent.withoutBoundary(bytes, type))
        }
    }

    /// Returns a multipart body with its random boundary replaced by a fixed text.
    static func withoutBoundary(_ bytes: [UInt8], _ type: ByteString) -> [UInt8] {
        guard type.mediaType.description.hasPrefix("multipart/"),
            let mark = MultipartReader.boundary(of: type.span)
        else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            if bytes[position] == mark[0], bytes[position...].starts(with: mark) {
                result.append(contentsOf: "boundary".utf8)
                position += mark.count
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return result
    }
}

extension MessageContent.JSON {
    /// Parses JSON; returns `nil` if the bytes are not valid.
    package init?(_ bytes: [UInt8]) {
        guard let first = bytes.first(where: { $0 > 0x20 }), first == 0x7B || first == 0x5B else {
            return nil
        }
        var parser = JSONParser(maxDepth: 512, surrogates: .replace)
        guard let document = try? parser.parse(bytes.span) else { return nil }
        self.init(document.root)
    }

    private init(_ value: JSONValue) {
        switch value.kind {
        case .object:
            var result: [String: Self] = [:]
            var members = value.members
            while let member = members.next() {
                result[member.key.asString ?? ""] = Self(member.value)
            }
            self = .object(result)
        case .array:
            var result: [Self] = []
            var elements = value.elements
            while let element = elements.next() { result.append(Self(element)) }
            self = .array(result)
        case .string: self = .string(value.asString ?? "")
        default: self = .word(String(copying: value.bytes))
        }
    }

    /// The value as readable text, truncated if it is long.
    package var shown: String {
        switch self {
        case .object(let members): "an object of \(members.count)"
        case .array(let elements): "an array of \(elements.count)"
        case .string(let text): "'\(text.prefix(80))'"
        case .word(let word): word
        }
    }
}
