// SPDX-License-Identifier: MIT

package import TaplineModel

/// Reads a recording on one thread: takes chunks of bytes and returns exchanges.
///
/// Combines `RecordingSplitter` and `RecordParser` for code that needs no workers. Records without
/// an id get one that `RecordID` derives.
package struct RecordingReader: ~Copyable {
    /// An exchange, or the error in its place.
    package typealias Element = Result<Exchange, RecordError>

    private var splitter: RecordingSplitter
    private var parser: RecordParser
    private var records: RawRecords
    private var position = 0

    /// Creates a reader for one recording.
    ///
    /// - Parameters:
    ///   - file: The recording's name, for errors.
    ///   - maxRecordBytes: The maximum size of a record; a larger one is an error and skipped.
    ///   - maxExtraBytes: How much HAR-only data is kept, per entry and for the file's log.
    ///   - countsUnknown: Whether skipped NDJSON keys are counted as losses.
    package init(
        file: String,
        maxRecordBytes: Int = 64 << 20,
        maxExtraBytes: Int = HARReader.defaultExtraBytes,
        countsUnknown: Bool = false
    ) {
        parser = RecordParser(maxExtraBytes: maxExtraBytes, countsUnknown: countsUnknown)
        splitter = RecordingSplitter(
            file: file,
            maxRecordBytes: maxRecordBytes,
            maxExtraBytes: maxExtraBytes
        )
        records = RawRecords(file: file)
    }

    /// The format of the recording, once known.
    package var format: RecordingFormat? { splitter.format }

    /// What the exchanges read so far could not represent.
    package var losses: LossReport {
        var losses = parser.losses
        losses.add(splitter.losses)
        return losses
    }

    /// Deviations from HAR 1.2 that were read anyway, with their interpretation.
    package var findings: LossReport { parser.findings }

    /// Reads the next bytes of the file.
    ///
    /// - Parameters:
    ///   - chunk: The bytes; any number.
    ///   - receive: Called with each exchange, or the error in its place, in order.
    /// - Throws: `RecordError` if the rest of the file cannot be read.
    package mutating func read(
        _ chunk: Span<UInt8>,
        _ receive: (Element) throws -> Void
    ) throws {
        var failure: RecordError?
        do { try splitter.append(chunk, to: &records) } catch { failure = error }
        try deliver(receive)
        if let failure { throw failure }
    }

    /// Ends the file.
    ///
    /// - Parameter receive: Called with the exchanges that the end completes.
    /// - Throws: `RecordError`; with code `cutOff` if the file ends too early.
    package mutating func finish(_ receive: (Element) throws -> Void) throws {
        var failure: RecordError?
        do { try splitter.finish(to: &records) } catch { failure = error }
        try deliver(receive)
        if let failure { throw failure }
    }

    private mutating func deliver(_ receive: (Element) throws -> Void) throws {
        defer { records.removeAll() }
        for index in 0..<records.count {
            let element: Element
            do {
                var exchange = try parser.exchange(at: index, of: records)
                if exchange.id.isNil {
                    exchange.id = records.derivedID(
                        at: index,
                        started: exchange.started,
                        position: position
                    )
                }
                element = .success(exchange)
            } catch {
                element = .failure(error)
            }
            position += 1
            try receive(element)
        }
    }
}
