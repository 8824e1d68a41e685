// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Splits a recording into its records: takes chunks of bytes and returns raw records.
///
/// **Shape**: gzip, zlib and zstd are detected by their first bytes and decompressed, a byte order
/// mark is skipped, and the format is detected from the content. The splitter neither accesses
/// files nor parses records: `RecordParser` does that, on any number of threads.
/// **Limits**: memory for one unfinished record of `maxRecordBytes` and one complete record, for
/// `maxExtraBytes` of a HAR file's members other than the entries, and for one chunk.
package struct RecordingSplitter: ~Copyable {
    private enum State {
        /// There are too few bytes to detect compression.
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

    /// Creates a splitter for one recording.
    ///
    /// - Parameters:
    ///   - file: The recording's name, for errors.
    ///   - maxRecordBytes: The maximum size of a record; a larger one is an error and skipped.
    ///   - maxExtraBytes: How much is kept of a HAR file's members other than the entries.
    package init(
        file: String,
        maxRecordBytes: Int = 64 << 20,
        maxExtraBytes: Int = HARReader.defaultExtraBytes
    ) {
        self.file = file
        self.maxRecordBytes = max(1, maxRecordBytes)
        content = ContentSplitter(maxRecordBytes: self.maxRecordBytes, maxExtraBytes: maxExtraBytes)
    }

    /// The format of the recording, once known.
    package var format: RecordingFormat? { content.format }

    /// Content of the file outside its records that could not be preserved.
    package var losses: LossReport { content.losses }

    /// Reads the next bytes of the file and appends the records that end in them.
    ///
    /// - Parameters:
    ///   - chunk: The bytes; any number.
    ///   - records: Receives the records.
    /// - Throws: `RecordError` if the rest of the file cannot be read; records before the error
    ///   have been appended, and each further call throws too.
    package mutating func append(
        _ chunk: Span<UInt8>,
        to records: inout RawRecords
    ) throws(RecordError) {
        switch state {
        case .failed:
            throw error(.notRecording, "the rest of the recording cannot be read")
        case .probing:
            pending.append(copying: chunk)
            if pending.count >= 4 { try startReading(&records) }
        case .reading:
            try read(chunk, &records)
        }
    }

    /// Ends the file, and appends the records that this completes.
    ///
    /// - Parameter records: Receives the records.
    /// - Throws: `RecordError`; with code `cutOff` if the file ends too early.
    package mutating func finish(to records: inout RawRecords) throws(RecordError) {
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
        if let coding = RecordingProbe.coding(of: first.span) {
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
        // zstd may expand four bytes to 128 KiB: the steps are small, and each is passed on before
        // the next.
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
