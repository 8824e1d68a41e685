// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel

/// Helpers for parsing: text as bytes, complete or in pieces.
enum Parsing {
    /// Parses one request head, split at these positions.
    static func request(
        _ text: String,
        endingAt ends: [Int]? = nil,
        limits: HTTPLimits = HTTPLimits()
    ) throws -> RequestHead? {
        let bytes = Array(text.utf8)
        var parser = RequestParser(limits: limits)
        for end in ends ?? [bytes.count] {
            if let head = try parser.parse(bytes.span.extracting(0..<end)) { return head }
        }
        return nil
    }

    /// Parses one response head, split at these positions.
    static func response(
        _ text: String,
        to request: RequestKind = RequestKind(),
        endingAt ends: [Int]? = nil,
        limits: HTTPLimits = HTTPLimits()
    ) throws -> ResponseHead? {
        let bytes = Array(text.utf8)
        var parser = ResponseParser(limits: limits)
        for end in ends ?? [bytes.count] {
            if let head = try parser.parse(bytes.span.extracting(0..<end), answering: request) {
                return head
            }
        }
        return nil
    }

    /// Every way to split `count` bytes: not at all, into single bytes, and at each position into
    /// two.
    static func cuts(_ count: Int) -> [[Int]] {
        [[count], Array(0...count)] + (0...count).map { [$0, count] }
    }
}

/// The result of reading a body.
struct ReadBody: Equatable {
    var content: [UInt8] = []
    var consumed = 0
    var ended = false
    var trailers = FieldSection()

    /// Reads a body that is split at these positions.
    init(
        _ text: String,
        _ framing: BodyFraming = .chunked,
        endingAt ends: [Int]? = nil,
        limits: HTTPLimits = HTTPLimits()
    ) throws {
        let bytes = Array(text.utf8)
        var decoder = BodyDecoder(framing, .request, limits: limits)
        for end in ends ?? [bytes.count] {
            while !ended {
                let rest = bytes.span.extracting(consumed..<end)
                let part = try decoder.next(rest)
                content.append(copying: rest.extracting(part.content))
                consumed += part.consumed
                ended = part.state == .ended
                if part.state != .more { break }
            }
        }
        trailers = decoder.trailers
    }
}

extension ReadBody {
    /// The content as text.
    var text: String { String(decoding: content, as: UTF8.self) }
}
