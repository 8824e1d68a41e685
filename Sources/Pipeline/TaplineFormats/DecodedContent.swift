// SPDX-License-Identifier: MIT

package import TaplineCodings
package import TaplineModel

/// The content of a body without its codings, as far as it can be decoded.
package struct DecodedContent {
    /// The decoded bytes; what was decoded before a failure is included.
    package private(set) var bytes: [UInt8]
    /// Why the rest could not be decoded; `nil` if all bytes were.
    package private(set) var failure: CodingError?

    /// Decodes the kept bytes.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - limits: The limits of each coding's output.
    package init(_ body: Body, limits: DecodingLimits) {
        bytes = body.bytes
        for coding in ContentCoding.list(body.coding.span).reversed() {
            var output: [UInt8] = []
            do throws(CodingError) {
                try ContentDecoder(coding, limits: limits)
                    .decodeWhole(bytes.span, appendingTo: &output)
            } catch {
                failure = error
                if output.isEmpty {
                    bytes = []
                    return
                }
            }
            bytes = output
        }
    }

    /// Passes the decoded bytes to a closure, piece by piece.
    ///
    /// **Limits**: memory for a piece of 64 KiB for each coding.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - emit: Receives the pieces; returns `false` to stop.
    /// - Throws: `CodingError` if the rest cannot be decoded; what comes before was passed on.
    package static func forEachPiece(
        of body: Body,
        _ emit: ([UInt8]) -> Bool
    ) throws(CodingError) {
        var decoders: [ContentDecoder] = []
        for coding in ContentCoding.list(body.coding.span).reversed() {
            decoders.append(try ContentDecoder(coding, limits: .files))
        }
        let chain = DecodingChain(decoders: decoders)
        guard try chain.decode(body.bytes.span, from: 0, emit) else { return }
        for decoder in decoders { try decoder.finish() }
    }
}

/// Decoders, each of which reads what the previous one writes.
private struct DecodingChain {
    private static let pieceSize = 64 << 10

    let decoders: [ContentDecoder]

    /// Decodes bytes by the decoders from a position on.
    ///
    /// - Returns: Whether `emit` accepted all pieces.
    func decode(
        _ input: Span<UInt8>,
        from position: Int,
        _ emit: ([UInt8]) -> Bool
    ) throws(CodingError) -> Bool {
        guard position < decoders.count else { return emitAll(input, emit) }
        let decoder = decoders[position]
        var space = [UInt8](repeating: 0, count: Self.pieceSize)
        var consumed = 0
        while true {
            let before = decoder.outputBytes
            var failure: CodingError?
            var needsInput = false
            do throws(CodingError) {
                var output = space.mutableSpan
                let step = try decoder.decode(input.extracting(consumed...), into: &output)
                consumed += step.consumed
                needsInput = step.needsInput
            } catch {
                failure = error
            }
            // A failed step may have written bytes, too.
            let produced = min(max(decoder.outputBytes - before, 0), space.count)
            let piece = space.span.extracting(0..<produced)
            guard try decode(piece, from: position + 1, emit) else { return false }
            if let failure { throw failure }
            if needsInput { return true }
        }
    }

    private func emitAll(_ bytes: Span<UInt8>, _ emit: ([UInt8]) -> Bool) -> Bool {
        var start = 0
        while start < bytes.count {
            let end = min(start + Self.pieceSize, bytes.count)
            guard emit(Array(copying: bytes.extracting(start..<end))) else { return false }
            start = end
        }
        return true
    }
}
