// SPDX-License-Identifier: MIT

/// A decoder for streams of one coding, one after the other.
///
/// Making one costs more than a small body: keep it and call `reset()`.
///
/// **Shape.** gzip members and zstd frames may follow each other, and gzip may be filled up with
/// zeros; any other byte after the end is an error. A stream of no bytes at all decodes to none,
/// since that is how a message without a body looks.
///
/// **Limits.** `DecodingLimits`, exactly: output of `maxOutputBytes` is fine, a byte more is not.
///
/// **Isolation.** One thread at a time.
public final class ContentDecoder {
    /// What one call did.
    public struct Step: Hashable, Sendable {
        /// How many bytes of the input are done with.
        public var consumed = 0
        /// How many bytes of the output were written.
        public var produced = 0
        /// Whether nothing more comes out before there is more input.
        public var needsInput = false
    }

    private enum State {
        case start
        case inside
        case ended
        case padding
        case failed(CodingError)
    }

    /// The coding that is undone.
    public let coding: ContentCoding

    /// The limits of each stream.
    public let limits: DecodingLimits

    /// The number of coded bytes that the stream has given so far.
    public private(set) var inputBytes = 0

    /// The number of decoded bytes that came of them.
    public private(set) var outputBytes = 0

    private let engine: (any DecodingEngine)?
    private var state = State.start
    private var isDrained = true
    private var scratch: [UInt8] = []

    private static let scratchSize = 65_536

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - coding: The coding that is undone.
    ///   - limits: The limits of each stream.
    /// - Throws: `CodingError` for an unknown coding, or without memory.
    public init(_ coding: ContentCoding, limits: DecodingLimits = .init()) throws(CodingError) {
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

    /// Gets ready for another stream, whatever became of the last one.
    ///
    /// - Throws: `CodingError` without memory.
    public func reset() throws(CodingError) {
        if case .start = state {
            return
        }
        try engine?.reset()
        state = .start
        isDrained = true
        inputBytes = 0
        outputBytes = 0
    }

    /// Decodes some input into some space.
    ///
    /// Call it with what is left of the input and some space until `needsInput` says that all is
    /// done with.
    ///
    /// - Parameters:
    ///   - input: The next bytes of the stream.
    ///   - output: Where decoded bytes are written, from its beginning on.
    /// - Returns: How far it came.
    /// - Throws: `CodingError`, and the same again at each further call until `reset()`.
    public func decode(
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

    /// Decodes all of some input and appends what comes of it.
    ///
    /// **Throws.** What was decoded before the failure stays appended.
    ///
    /// - Parameters:
    ///   - input: The next bytes of the stream.
    ///   - output: Gets the decoded bytes.
    /// - Throws: `CodingError`, and the same again at each further call until `reset()`.
    public func decode(
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

    /// Says that the input has ended.
    ///
    /// - Throws: `CodingError` when the stream is not complete.
    public func finish() throws(CodingError) {
        switch state {
        case .start, .ended, .padding: return
        case .inside where coding == .identity: return
        case .inside: throw .truncated(coding)
        case .failed(let error): throw error
        }
    }

    /// Decodes one whole stream and appends what comes of it.
    ///
    /// **Throws.** What was decoded before the failure stays appended.
    ///
    /// - Parameters:
    ///   - bytes: The stream.
    ///   - output: Gets the decoded bytes.
    /// - Throws: `CodingError` when the stream is damaged, not complete or beyond a limit.
    public func decodeWhole(
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

    /// Decodes until the input is done with or the output is full.
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
            // At the limit a stream may end, but not put out another byte.
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
            // None of the libraries does this; should one ever, it must not go on for ever.
            if wasDrained, result.consumed == 0, result.produced == 0 {
                return .corrupt(coding)
            }
        case .ended:
            state = .ended
            isDrained = true
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
                + "\(inputBytes), expected at most \(limits.maxRatio) times as many"
        )
    }
}
