// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineProtobuf

/// gRPC content: the messages do not depend on the pieces, and fit their limits.
func fuzzGRPC(_ input: inout FuzzInput) {
    let codings: [ContentCoding] = [.identity, .gzip, .deflate, .zstd, .unknown]
    let coding = codings[input.below(codings.count)]
    let hasTrailers = input.below(2) == 1
    // An error that follows what is kept is noticed or not, depending on the pieces.
    let few = [0, 3, 1_000][input.below(3)]
    let keeps = coding == .identity ? few : 2 << 20
    let size = 1 + input.below(9)
    let bytes = input.rest()
    let whole = read(bytes, by: max(bytes.count, 1), coding, hasTrailers, keeps)
    let pieces = read(bytes, by: size, coding, hasTrailers, keeps)
    require(whole.problem == pieces.problem, "the problem depends on the pieces")
    require(whole.messages.count == pieces.messages.count, "the messages depend on the pieces")
    for (left, right) in zip(whole.messages, pieces.messages) {
        require(left.problem == right.problem, "the problem of a message depends on the pieces")
        // How much precedes the damage depends on the pieces.
        if left.problem == nil { require(left == right, "a message depends on the pieces") }
        require(left.bytes.count <= max(keeps, 0), "a message beyond its limit")
    }
    _ = read(bytes, by: size, coding, hasTrailers, few)
    var text: [UInt8] = []
    GRPCWebText.encode(bytes.span, appendingTo: &text)
    var decoder = GRPCWebText()
    var decoded: [UInt8] = []
    require(decoder.decode(text.span, appendingTo: &decoded), "base64 is refused")
    require(decoded == bytes, "base64 changed the content")
    var other = GRPCWebText()
    _ = other.decode(bytes.span, appendingTo: &decoded)
}

private func read(
    _ bytes: [UInt8],
    by size: Int,
    _ coding: ContentCoding,
    _ hasTrailers: Bool,
    _ keeps: Int
) -> (messages: [GRPCMessage], problem: GRPCProblem?) {
    let limits = DecodingLimits(maxOutputBytes: 1 << 20)
    var reader = GRPCMessageReader(
        coding: coding,
        hasTrailers: hasTrailers,
        keeps: keeps,
        limits: limits
    )
    var messages: [GRPCMessage] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(start + size, bytes.count)])
        var consumed = 0
        while consumed < piece.count {
            let step = reader.next(piece.span.extracting(consumed..<piece.count))
            consumed += step.consumed
            require(step.consumed > 0, "nothing was consumed")
            if let message = step.message { messages.append(message) }
        }
    }
    if let last = reader.end() { messages.append(last) }
    return (messages, reader.problem)
}
