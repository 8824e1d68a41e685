// SPDX-License-Identifier: MIT

public import TaplineModel

/// Reads a recording on one thread: chunks of bytes in, exchanges out.
///
/// Records without an id get one that `RecordID` derives.
/// `RecordingSplitter` and `RecordParser` in one, for those who need no workers.
public struct RecordingReader: ~Copyable {
    /// What stands at one place of the recording.
    public typealias Element = Result<Exchange, RecordError>

    private var splitter: RecordingSplitter
    private var parser: RecordParser
    private var records: RawRecords
    private var position = 0

    /// Makes a reader for one recording.
    /// - Parameters:
    ///   - file: The recording's name, for errors.
    ///   - maxRecordBytes: The largest record; a larger one is an error and skipped.
    ///   - maxExtraBytes: How much is kept of a HAR entry, and of what the file has beside its
    ///     entries, that has no place in an exchange.
    ///   - countsUnknown: Whether keys of NDJSON that are skipped are counted as losses.
    public init(
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

    /// How the records are written, once that is known.
    public var format: RecordingFormat? { splitter.format }

    /// What had no place in the exchanges read so far.
    public var losses: LossReport {
        var losses = parser.losses
        losses.add(splitter.losses)
        return losses
    }

    /// What HAR 1.2 does not allow and was read all the same, and as what.
    public var findings: LossReport { parser.findings }

    /// Reads the next bytes of the file.
    /// - Parameters:
    ///   - chunk: The bytes; any number.
    ///   - receive: Gets each exchange, or what is wrong in its place, in order.
    /// - Throws: `RecordError` when the rest of the file cannot be read.
    public mutating func read(
        _ chunk: Span<UInt8>,
        _ receive: (Element) throws -> Void
    ) throws {
        var failure: RecordError?
        do { try splitter.append(chunk, to: &records) } catch { failure = error }
        try deliver(receive)
        if let failure { throw failure }
    }

    /// Says that the file has ended.
    /// - Parameter receive: Gets what the end completes.
    /// - Throws: `RecordError`; with code `cutOff` when the file ends too early.
    public mutating func finish(_ receive: (Element) throws -> Void) throws {
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
