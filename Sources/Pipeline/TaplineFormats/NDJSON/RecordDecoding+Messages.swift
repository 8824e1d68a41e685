// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Parses requests, responses and their parts in record schema v1.
extension RecordDecoding {
    static func request(_ value: JSONValue, _ request: inout Request) throws(RecordError) {
        try value.requireObject("request")
        var target: ByteString?
        var hasMethod = false
        var hasURL = false
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("method") {
                request.method = try value.requireBytes("method")
                hasMethod = true
            } else if key.matches("url") {
                try url(value, &request)
                hasURL = true
            } else if key.matches("target") {
                target = try value.requireBytes("target")
            } else if key.matches("version") {
                request.version = try value.requireBytes("version")
            } else if key.matches("headers") {
                try fields(value, "headers", &request.fields)
            } else if key.matches("body") {
                try body(value, &request.body)
            } else if key.matches("trailers") {
                try fields(value, "trailers", &request.trailers)
            }
        }
        if let target { request.target = target }
        if !hasMethod { throw value.wrong("missing key 'method' in 'request'") }
        if !hasURL { throw value.wrong("missing key 'url' in 'request'") }
    }

    private static func url(_ value: JSONValue, _ request: inout Request) throws(RecordError) {
        if value.kind == .string {
            request.setURL(value.bytes)
        } else {
            let bytes = try value.requireCodedBytes("url")
            request.setURL(bytes.span)
        }
    }

    static func response(_ value: JSONValue, _ response: inout Response) throws(RecordError) {
        try value.requireObject("response")
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("status") {
                response.status = try value.requireStatus("status")
            } else if key.matches("reason") {
                response.reason = try value.requireBytes("reason")
            } else if key.matches("version") {
                response.version = try value.requireBytes("version")
            } else if key.matches("headers") {
                try fields(value, "headers", &response.fields)
            } else if key.matches("body") {
                try body(value, &response.body)
            } else if key.matches("trailers") {
                try fields(value, "trailers", &response.trailers)
            } else if key.matches("interim") {
                response.interim = try interim(value)
            }
        }
    }

    /// A list of `[name, value]` pairs.
    static func fields(
        _ value: JSONValue,
        _ key: StaticString,
        _ fields: inout FieldSection
    ) throws(RecordError) {
        try value.requireArray(key)
        fields = FieldSection()
        // A pair takes three tokens and at least seven characters besides its name and value.
        let pairs = value.tokenCount / 3
        let byteCount = max(0, value.bytes.count - 7 * pairs)
        try fields.fill(pairs, byteCount: byteCount) { (fields) throws(RecordError) in
            var elements = value.elements
            while let pair = elements.next() { try field(pair, key, &fields) }
        }
    }

    /// A pair of name and value.
    @inline(__always)
    private static func field(
        _ pair: JSONValue,
        _ key: StaticString,
        _ fields: inout FieldFiller
    ) throws(RecordError) {
        guard pair.kind == .array else {
            throw pair.wrong(key, expected: "a pair of name and value")
        }
        var parts = pair.elements
        guard let name = parts.next(), let content = parts.next(), parts.isAtEnd else {
            throw pair.wrong("wrong length of a field in '\(key)'; expected name and value")
        }
        if name.kind == .string, content.kind == .string {
            fields.append(name: name.bytes, value: content.bytes)
        } else {
            let name = try name.requireBytes(key)
            let content = try content.requireBytes(key)
            fields.append(name: name.span, value: content.span)
        }
    }

    static func body(_ value: JSONValue, _ body: inout Body) throws(RecordError) {
        try value.requireObject("body")
        body = Body()
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("text") {
                body.bytes = Array(copying: try value.requireString("text"))
            } else if key.matches("base64") {
                body.bytes = try value.requireBase64("base64")
            } else if key.matches("size") {
                body.size = try value.requireCount("size")
            } else if key.matches("truncated") {
                body.isTruncated = try value.requireBool("truncated")
            } else if key.matches("coding") {
                body.coding = ByteString(try value.requireString("coding"))
            } else if key.matches("decoded_size") {
                body.decodedSize = try value.requireCount("decoded_size")
            } else if key.matches("content_type") {
                body.contentType = ByteString(try value.requireString("content_type"))
            } else if key.matches("sha256") {
                _ = try value.requireString("sha256")
                body.isHashed = true
            }
        }
    }

    static func interim(_ value: JSONValue) throws(RecordError) -> [InterimResponse] {
        try value.requireArray("interim")
        var result: [InterimResponse] = []
        var elements = value.elements
        while let element = elements.next() {
            try element.requireObject("interim")
            var response = InterimResponse(status: 0)
            if let status = element.member("status") {
                response.status = try status.requireStatus("status")
            }
            if let reason = element.member("reason"), !reason.isNull {
                response.reason = try reason.requireBytes("reason")
            }
            if let headers = element.member("headers"), !headers.isNull {
                try fields(headers, "headers", &response.fields)
            }
            result.append(response)
        }
        return result
    }

    static func messages(_ value: JSONValue) throws(RecordError) -> [StreamMessage] {
        try value.requireArray("messages")
        var result: [StreamMessage] = []
        var elements = value.elements
        while let element = elements.next() { result.append(try message(element)) }
        return result
    }

    private static func message(_ value: JSONValue) throws(RecordError) -> StreamMessage {
        try value.requireObject("messages")
        var message = StreamMessage(direction: .up, bytes: [])
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("dir") {
                message.direction = try direction(value)
            } else if key.matches("at_ms") {
                message.at = try value.requireMilliseconds("at_ms")
            } else if key.matches("type") {
                // An empty type is not written, so it is treated as absent.
                let type = try value.requireText("type")
                if !type.isEmpty { message.type = type }
            } else if key.matches("event") {
                message.event = try value.requireText("event")
            } else if key.matches("id") {
                message.eventID = try value.requireText("id")
            } else if key.matches("code") {
                message.code = try value.requireCount("code")
            } else if key.matches("text") {
                message.bytes = Array(copying: try value.requireString("text"))
            } else if key.matches("base64") {
                message.bytes = try value.requireBase64("base64")
            } else if key.matches("size") {
                message.size = try value.requireCount("size")
            } else if key.matches("truncated") {
                message.isTruncated = try value.requireBool("truncated")
            }
        }
        return message
    }

    private static func direction(
        _ value: JSONValue
    ) throws(RecordError) -> StreamMessage.Direction {
        if value.matches("up") { return .up }
        if value.matches("down") { return .down }
        _ = try value.requireString("dir")
        throw value.wrong("unknown 'dir'; expected up or down")
    }
}
