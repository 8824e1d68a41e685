// SPDX-License-Identifier: MIT

/// A decoder for one coding, reusable for any number of streams in turn.
///
/// Making a decoder costs more than decoding a small body: keep it and call `reset()`.
///
/// **Shape.** gzip members and zstd frames may follow each other, and gzip may be padded with
/// zeros; any other byte after the end is an error. An empty stream decodes to no bytes, because a
/// message without a body looks like that.
///
/// **Limits.** `DecodingLimits`, exactly: output of `maxOutputBytes` bytes succeeds, one byte more
/// fails.
///
/// **Isolation.** Used by one thread at a time.
package final class ContentDecoder {
    /// The result of one call.
    package struct Step: Hashable, Sendable {
        /// The number of input bytes consumed.
        package var consumed = 0
        /// The number of output bytes written.
        package var produced = 0
        /// Whether the decoder needs more input before it can produce more output.
        package var needsInput = false
    }

    private enum State {
        case start
        case inside
        case ended
        case padding
        case failed(CodingError)
    }

    /// The coding that is decoded.
    package let coding: ContentCoding

    /// The limits of each stream.
    package let limits: DecodingLimits

    /// The number of coded bytes of the current stream so far.
    package private(set) var inputBytes = 0

    /// The number of decoded bytes of the current stream so far.
    package private(set) var outputBytes = 0

    /// The numbers of coded and decoded bytes up to the end of the last complete member or frame of
    /// the current stream; zeros if there is none.
    package private(set) var completeBytes = (input: 0, output: 0)

    private let engine: (any DecodingEngine)?
    private var state = State.start
    private var isDrained = true
    private var scratch: [UInt8] = []

    private static let scratchSize = 65_536

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - coding: The coding to decode.
    ///   - limits: The limits of each stream.
    /// - Throws: `CodingError` if the coding is not supported or memory runs out.
    package init(_ coding: ContentCoding, limits: DecodingLimits = .init()) throws(CodingError) {
        self.coding = coding
        self.limits = limits
        switch coding {
        case .identity: engine = nil
        case .gzip, .deflate: engine = try InflateEngine(coding)
        case .brotli: engine = try BrotliEngine()
        case .zstd: engine = try ZstdEngine(maxWindowLog: limits.maxZstdWindowLog)
        default: throw .unsupported(coding)
        }
    }

    /// Prepares for another stream, in whatever state the last one ended.
    ///
    /// - Throws: `CodingError` if memory runs out.
    package func reset() throws(CodingError) {
        if case .start = state {
            return
        }
        try engine?.reset()
        state = .start
        isDrained = true
        inputBytes = 0
        outputBytes = 0
        completeBytes = (0, 0)
    }

    /// Decodes some of the input into the output space.
    ///
    /// Call it with the rest of the input and more space until `needsInput` is true.
    ///
    /// - Parameters:
    ///   - input: The next bytes of the stream.
    ///   - output: The space for decoded bytes, written from its start.
    /// - Returns: The numbers of bytes consumed and produced.
    /// - Throws: `CodingError`; each further call throws the same error until `reset()`.
    package func decode(
        _ input: Span<UInt8>,
        into output: inout MutableSpan<UInt8>
    ) throws(CodingError) -> Step {
        let (step, failure) = unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe advance(source, target)
            }
        }
        if let failure {
            state = .failed(failure)
            throw failure
        }
        return step
    }

    /// Decodes all of the input and appends the decoded bytes.
    ///
    /// **Throws.** Bytes that were decoded before the failure stay appended.
    ///
    /// - Parameters:
    ///   - input: The next bytes of the stream.
    ///   - output: The array that the decoded bytes are appended to.
    /// - Throws: `CodingError`; each further call throws the same error until `reset()`.
    package func decode(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CodingError) {
        if scratch.isEmpty {
            scratch = [UInt8](repeating: 0, count: Self.scratchSize)
        }
        let failure = unsafe input.withUnsafeBufferPointer { source in
            unsafe scratch.withUnsafeMutableBufferPointer { target in
                unsafe pump(source, target, &output)
            }
        }
        if let failure {
            state = .failed(failure)
            throw failure
        }
    }

    /// Ends the input.
    ///
    /// - Throws: `CodingError` if the stream is not complete.
    package func finish() throws(CodingError) {
        switch state {
        case .start, .ended, .padding: return
        case .inside where coding == .identity: return
        case .inside: throw .truncated(coding)
        case .failed(let error): throw error
        }
    }

    /// Decodes one whole stream and appends the decoded bytes.
    ///
    /// **Throws.** Bytes that were decoded before the failure stay appended.
    ///
    /// - Parameters:
    ///   - bytes: The stream.
    ///   - output: The array that the decoded bytes are appended to.
    /// - Throws: `CodingError` if the stream is damaged, incomplete or exceeds a limit.
    package func decodeWhole(
        _ bytes: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CodingError) {
        try reset()
        try decode(bytes, appendingTo: &output)
        try finish()
    }
}

// MARK: - Steps

extension ContentDecoder {
    @unsafe
    private func pump(
        _ input: UnsafeBufferPointer<UInt8>,
        _ space: UnsafeMutableBufferPointer<UInt8>,
        _ output: inout [UInt8]
    ) -> CodingError? {
        var position = 0
        while true {
            let (step, failure) = unsafe advance(.init(rebasing: input[position...]), space)
            position += step.consumed
            unsafe output.append(contentsOf: UnsafeBufferPointer(space).prefix(step.produced))
            if failure != nil || step.needsInput {
                return failure
            }
        }
    }

    /// Decodes until the input is consumed or the output is full.
    @unsafe
    private func advance(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> (Step, CodingError?) {
        var step = Step()
        if case .failed(let error) = state {
            return (step, error)
        }
        while step.produced < output.count {
            if step.consumed == input.count, isDrained {
                step.needsInput = true
                return (step, nil)
            }
            let rest = unsafe UnsafeBufferPointer(rebasing: input[step.consumed...])
            if let error = unsafe enter(rest, &step) {
                return (step, error)
            }
            guard step.consumed < input.count || !isDrained else {
                continue
            }
            let failure = unsafe run(
                .init(rebasing: input[step.consumed...]),
                .init(rebasing: output[step.produced...]),
                &step
            )
            if let failure {
                return (step, failure)
            }
        }
        return (step, nil)
    }

    /// Decides what the bytes after the end of a member are.
    @unsafe
    private func enter(_ input: UnsafeBufferPointer<UInt8>, _ step: inout Step) -> CodingError? {
        guard let first = unsafe input.first else {
            return nil
        }
        switch state {
        case .start:
            state = .inside
        case .ended where coding == .zstd:
            state = .inside
        case .ended where coding == .gzip && first == 0x1f:
            do throws(CodingError) {
                try engine?.reset()
            } catch {
                return error
            }
            state = .inside
        case .ended where coding == .gzip && first == 0, .padding:
            guard unsafe input.allSatisfy({ $0 == 0 }) else {
                return .trailingBytes(coding)
            }
            state = .padding
            step.consumed += input.count
            inputBytes += input.count
        case .ended:
            return .trailingBytes(coding)
        case .inside, .failed:
            break
        }
        return nil
    }

    @unsafe
    private func run(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>,
        _ step: inout Step
    ) -> CodingError? {
        let wasDrained = isDrained
        let allowed = limits.maxOutputBytes - outputBytes
        let result: EngineStep
        if allowed > 0 {
            result = unsafe decodePart(
                input,
                .init(rebasing: output.prefix(allowed))
            )
        } else {
            // At the limit, a stream may end but not produce another byte.
            result = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { byte in
                unsafe decodePart(input, byte)
            }
            guard result.produced == 0 else {
                return overflow
            }
        }
        let space = allowed > 0 ? min(output.count, allowed) : 1
        step.consumed += result.consumed
        step.produced += result.produced
        inputBytes += result.consumed
        outputBytes += result.produced
        isDrained = result.produced < space
        switch result.outcome {
        case .inside:
            // All libraries make progress here; if one ever did not, this must not loop forever.
            if wasDrained, result.consumed == 0, result.produced == 0 {
                return .corrupt(coding)
            }
        case .ended:
            state = .ended
            isDrained = true
            completeBytes = (inputBytes, outputBytes)
        case .failed(let error):
            return error
        }
        return isBeyondRatio ? excess : nil
    }

    @unsafe
    private func decodePart(
        _ input: UnsafeBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> EngineStep {
        if let engine {
            return unsafe engine.step(input, output)
        }
        let count = min(input.count, output.count)
        unsafe _ = output.update(fromContentsOf: input.prefix(count))
        return EngineStep(consumed: count, produced: count, outcome: .inside)
    }

    private var isBeyondRatio: Bool {
        guard limits.maxRatio > 0, outputBytes > limits.ratioFreeBytes else {
            return false
        }
        let (bound, overflow) = inputBytes.multipliedReportingOverflow(by: limits.maxRatio)
        return !overflow && outputBytes > bound
    }

    private var overflow: CodingError {
        CodingError(
            .outputLimit,
            coding,
            "decoded data is too large; expected at most \(limits.maxOutputBytes) bytes"
        )
    }

    private var excess: CodingError {
        CodingError(
            .ratioLimit,
            coding,
            "decoded data is too large for its input; found \(outputBytes) bytes from "
                + "\(inputBytes), expected at most \(limits.maxRatio) times the input"
        )
    }
}
