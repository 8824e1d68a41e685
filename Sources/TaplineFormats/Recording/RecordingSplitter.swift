// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Cuts a recording into its records: chunks of bytes in, raw records out.
///
/// **Shape**: gzip, zlib and zstd are undone by their first bytes, a byte order mark is skipped, and
/// the format is told from the content. No file is touched and no record is parsed: that is for
/// `RecordParser`, on as many threads as there are.
/// **Limits**: memory for one unfinished record of `maxRecordBytes` and one whole one, for
/// `maxExtraBytes` of what a HAR file has beside its entries, and for one chunk.
public struct RecordingSplitter: ~Copyable {
    private enum State {
        /// Too few bytes to see whether the file is compressed.
        case probing
        case reading
        case failed
    }

    private let file: String
    private let maxRecordBytes: Int
    private var state = State.probing
    private var decoder: ContentDecoder?
    private var pending: [UInt8] = []
    private var decoded: [UInt8] = []
    private var content: ContentSplitter

    /// Makes a splitter for one recording.
    /// - Parameters:
    ///   - file: The recording's name, for errors.
    ///   - maxRecordBytes: The largest record; a larger one is an error and skipped.
    ///   - maxExtraBytes: How much is kept of what a HAR file has beside its entries.
    public init(
        file: String,
        maxRecordBytes: Int = 64 << 20,
        maxExtraBytes: Int = HARReader.defaultExtraBytes
    ) {
        self.file = file
        self.maxRecordBytes = max(1, maxRecordBytes)
        content = ContentSplitter(maxRecordBytes: self.maxRecordBytes, maxExtraBytes: maxExtraBytes)
    }

    /// How the records are written, once that is known.
    public var format: RecordingFormat? { content.format }

    /// What the file holds outside its records and could not be carried over.
    public var losses: LossReport { content.losses }

    /// Takes the next bytes of the file and appends the records that end in them.
    /// - Parameters:
    ///   - chunk: The bytes; any number.
    ///   - records: Gets the records.
    /// - Throws: `RecordError` when the rest of the file cannot be read; records before it are
    ///   there, and each further call throws too.
    public mutating func append(
        _ chunk: Span<UInt8>,
        to records: inout RawRecords
    ) throws(RecordError) {
        switch state {
        case .failed:
            throw error(.notRecording, "the recording cannot be read any further")
        case .probing:
            pending.append(copying: chunk)
            if pending.count >= 4 { try startReading(&records) }
        case .reading:
            try read(chunk, &records)
        }
    }

    /// Says that the file has ended, and appends what that completes.
    /// - Parameter records: Gets the records.
    /// - Throws: `RecordError`; with code `cutOff` when the file ends too early.
    public mutating func finish(to records: inout RawRecords) throws(RecordError) {
        if case .probing = state { try startReading(&records) }
        if case .failed = state { return }
        if let decoder {
            do {
                try decoder.finish()
            } catch {
                content.release(to: &records)
                throw self.error(.cutOff, "the \(decoder.coding.name) file is cut off")
            }
        }
        do {
            try content.finish(to: &records)
        } catch {
            throw located(error)
        }
    }

    private mutating func startReading(_ records: inout RawRecords) throws(RecordError) {
        let first = pending
        pending = []
        state = .reading
        let magic = first.span
        var coding: ContentCoding?
        if magic.count >= 2, magic[0] == 0x1F, magic[1] == 0x8B { coding = .gzip }
        // RFC 1950 section 2.2: deflate, and a check that makes a multiple of 31. No text of either
        // format begins with this letter (x).
        if magic.count >= 2, magic[0] == 0x78, (0x7800 | Int(magic[1])) % 31 == 0 {
            coding = .deflate
        }
        if magic.count >= 4, magic[0] == 0x28, magic[1] == 0xB5, magic[2] == 0x2F, magic[3] == 0xFD
        {
            coding = .zstd
        }
        if let coding {
            do {
                decoder = try ContentDecoder(coding, limits: .files)
            } catch {
                throw fail(error)
            }
        }
        try read(first.span, &records)
    }

    private mutating func read(
        _ chunk: Span<UInt8>,
        _ records: inout RawRecords
    ) throws(RecordError) {
        guard let decoder else { return try split(chunk, &records) }
        // zstd makes 128 KiB of four bytes: small steps, each handed on before the next.
        var position = 0
        while position < chunk.count {
            let step = min(chunk.count - position, 1024)
            decoded.removeAll(keepingCapacity: decoded.capacity <= 1 << 24)
            var failure: CodingError?
            do {
                try decoder.decode(
                    chunk.extracting(position..<position + step),
                    appendingTo: &decoded
                )
            } catch {
                failure = error
            }
            let bytes = decoded
            decoded = []
            try split(bytes.span, &records)
            decoded = bytes
            if let failure {
                content.release(to: &records)
                throw fail(failure)
            }
            position += step
        }
    }

    private mutating func split(
        _ bytes: Span<UInt8>,
        _ records: inout RawRecords
    ) throws(RecordError) {
        do {
            try content.append(bytes, to: &records)
        } catch {
            state = .failed
            throw located(error)
        }
    }

    private mutating func fail(_ error: CodingError) -> RecordError {
        state = .failed
        return self.error(.coding, error.message)
    }

    private func error(_ code: RecordError.Code, _ message: String) -> RecordError {
        RecordError(
            code: code,
            message: message,
            file: file,
            line: 0,
            byte: content.byteCount
        )
    }

    private func located(_ error: RecordError) -> RecordError {
        var error = error
        error.file = file
        return error
    }
}
