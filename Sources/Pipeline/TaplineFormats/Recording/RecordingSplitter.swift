// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Splits a recording into its records: takes chunks of bytes and returns raw records.
///
/// **Shape**: compressed files are decompressed as by `RecordingDecoder`, a byte order mark is
/// skipped, and the format is detected from the content. The splitter neither accesses files nor
/// parses records: `RecordParser` does that, on any number of threads.
/// **Limits**: memory for one unfinished record of `maxRecordBytes` and one complete record, for
/// `maxExtraBytes` of a HAR file's members other than the entries, and for one chunk.
package struct RecordingSplitter: ~Copyable {
    private let file: String
    private let decoder = RecordingDecoder()
    private var content: ContentSplitter
    private var hasFailed = false

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
        content = ContentSplitter(
            maxRecordBytes: max(1, maxRecordBytes),
            maxExtraBytes: maxExtraBytes
        )
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
        let decoder = decoder
        do throws(RecordError) {
            guard !hasFailed else {
                let message = "the rest of the recording cannot be read"
                throw RecordError(code: .notRecording, message: message, byte: decoder.byteCount)
            }
            let failure = try decoder.read(chunk) { bytes throws(RecordError) in
                try content.append(bytes, to: &records)
            }
            if let failure { throw failure }
        } catch {
            throw fail(error, &records)
        }
    }

    /// Ends the file, and appends the records that this completes.
    ///
    /// - Parameter records: Receives the records.
    /// - Throws: `RecordError`; with code `cutOff` if the file ends too early.
    package mutating func finish(to records: inout RawRecords) throws(RecordError) {
        if hasFailed { return }
        let decoder = decoder
        do throws(RecordError) {
            let failure = try decoder.finish { bytes throws(RecordError) in
                try content.append(bytes, to: &records)
            }
            if let failure { throw failure }
            try content.finish(to: &records)
        } catch {
            throw fail(error, &records)
        }
    }

    /// Releases complete records, since the rest cannot be read.
    private mutating func fail(_ error: RecordError, _ records: inout RawRecords) -> RecordError {
        hasFailed = true
        content.release(to: &records)
        var error = error
        error.file = file
        return error
    }
}
