// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineJSON
internal import TaplineModel

/// How the content of a body is written.
struct BodyContent {
    /// Its digest; `nil` if that is unknown.
    let digest: Digest?
    /// Whether the bytes are written.
    let isWritten: Bool
}

/// Writes requests, responses and their parts in record schema v1.
extension RecordEncoding {
    static func request(
        _ request: Request,
        _ content: BodyContent,
        to json: inout JSONWriter,
        _ scratch: inout [UInt8]
    ) {
        json.beginObject()
        json.key("method")
        json.bytes(request.method.span)
        scratch.removeAll(keepingCapacity: true)
        request.appendURL(to: &scratch)
        json.key("url")
        json.bytes(scratch.span)
        json.key("target")
        json.bytes(request.target.span)
        if !request.version.isEmpty {
            json.key("version")
            json.bytes(request.version.span)
        }
        json.key("headers")
        fields(request.fields, to: &json)
        body(request.body, content, to: &json, &scratch)
        if !request.trailers.isEmpty {
            json.key("trailers")
            fields(request.trailers, to: &json)
        }
        json.endObject()
    }

    static func response(
        _ response: Response,
        _ content: BodyContent,
        to json: inout JSONWriter,
        _ scratch: inout [UInt8]
    ) {
        json.beginObject()
        json.count("status", response.status)
        if !response.reason.isEmpty {
            json.key("reason")
            json.bytes(response.reason.span)
        }
        if !response.version.isEmpty {
            json.key("version")
            json.bytes(response.version.span)
        }
        json.key("headers")
        fields(response.fields, to: &json)
        body(response.body, content, to: &json, &scratch)
        if !response.trailers.isEmpty {
            json.key("trailers")
            fields(response.trailers, to: &json)
        }
        if !response.interim.isEmpty {
            json.key("interim")
            json.beginArray()
            for interim in response.interim {
                json.beginObject()
                json.count("status", interim.status)
                if !interim.reason.isEmpty {
                    json.key("reason")
                    json.bytes(interim.reason.span)
                }
                json.key("headers")
                fields(interim.fields, to: &json)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
    }

    static func fields(_ fields: FieldSection, to json: inout JSONWriter) {
        json.beginArray()
        for position in fields.indices {
            json.beginArray()
            json.bytes(fields.name(at: position))
            json.bytes(fields.value(at: position))
            json.endArray()
        }
        json.endArray()
    }

    private static func body(
        _ body: Body,
        _ content: BodyContent,
        to json: inout JSONWriter,
        _ scratch: inout [UInt8]
    ) {
        guard
            !body.isAbsent || !body.coding.isEmpty || body.decodedSize != nil
                || !body.contentType.isEmpty
        else { return }
        json.key("body")
        json.beginObject()
        if content.isWritten, !body.bytes.isEmpty { json.content(body.bytes.span) }
        json.count("size", body.size)
        if let size = body.size, size != body.bytes.count {
            json.count("kept", body.bytes.count)
        }
        if body.isTruncated {
            json.key("truncated")
            json.bool(true)
        }
        if !body.coding.isEmpty {
            json.key("coding")
            json.lossyText(body.coding.span)
        }
        json.count("decoded_size", body.decodedSize)
        if !body.contentType.isEmpty {
            json.key("content_type")
            json.lossyText(body.contentType.span)
        }
        if let digest = content.digest {
            scratch.removeAll(keepingCapacity: true)
            digest.appendHex(to: &scratch)
            json.key("sha256")
            json.string(scratch.span)
        }
        json.endObject()
    }
}
