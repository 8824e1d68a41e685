// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel

/// What the tests parse with: texts for bytes, whole or in pieces.
enum Parsing {
    /// Parses one request head that comes in pieces that end at these places.
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

    /// Parses one response head that comes in pieces that end at these places.
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

    /// Every way to cut `count` bytes: whole, each byte alone, and at each place in two.
    static func cuts(_ count: Int) -> [[Int]] {
        [[count], Array(0...count)] + (0...count).map { [$0, count] }
    }
}

/// A body as it was read.
struct ReadBody: Equatable {
    var content: [UInt8] = []
    var consumed = 0
    var ended = false
    var trailers = FieldSection()

    /// Reads a body that comes in pieces that end at these places.
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
