// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The content of a WebSocket message in which tokens are searched.
struct MessageText {
    enum Kind {
        /// JSON from an offset on: Socket.IO writes digits, the type of a packet, before it.
        case json(Int)
        case words
        /// The message is empty or too large.
        case unreadable
    }

    /// The largest text that is divided into words.
    private static let maxText = 65_536
    /// The members of a message that name its type in common protocols.
    private static let typeNames: [StaticString] = [
        "type", "event", "kind", "action", "op", "method", "cmd", "command", "t",
    ]

    let kind: Kind
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var start = 0
        while start < bytes.count, bytes[start].isDigit || bytes[start] <= 0x20 { start += 1 }
        if bytes.isEmpty || bytes.count > TokenBody.maxBytes {
            kind = .unreadable
        } else if start < bytes.count, bytes[start] == .ascii("{") || bytes[start] == .ascii("[") {
            kind = .json(start)
        } else {
            kind = bytes.count > Self.maxText ? .unreadable : .words
        }
    }

    /// What the message says about its type: the value of a member such as `type`, or the first element
    /// of an array; `nil` if nothing does.
    ///
    /// Messages of one type take the place of each other.
    var type: ByteString? {
        guard case .json(let start) = kind else { return nil }
        var parser = JSONParser(maxDepth: JSONValuePath.maxDepth, surrogates: .replace)
        let text = bytes.span.extracting(start..<bytes.count)
        guard let document = try? parser.parse(text) else { return nil }
        guard document.root.kind == .object else {
            var elements = document.root.elements
            guard let first = elements.next() else { return nil }
            return Self.name(first)
        }
        for name in Self.typeNames {
            if let value = document.root.member(name) { return Self.name(value) }
        }
        return nil
    }

    private static func name(_ value: JSONValue) -> ByteString? {
        // Numbers of types are small; others are times.
        let isCode = value.kind == .number && value.bytes.count <= 3
        guard value.kind == .string || isCode else { return nil }
        // A value that differs each time names no type.
        let name = Array(copying: value.bytes)
        return TokenLikelihood(name) == .long ? nil : ByteString(name)
    }
}
