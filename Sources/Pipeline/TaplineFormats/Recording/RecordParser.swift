// SPDX-License-Identifier: MIT

package import TaplineModel

/// Parses raw records of either format.
///
/// **Isolation**: one thread at a time; each worker needs its own parser.
package struct RecordParser: ~Copyable {
    private var lines: NDJSONReader
    private var entries: HARReader
    /// Members of a file's log whose record could not be read; attached to the next one.
    private var pendingLog: [UInt8] = []

    /// The memory of records up to this size is kept for the next ones.
    private static let keptBytes = 1 << 20
    /// The maximum number of tags that a record may have.
    package static let maxTags = RecordDecoding.maxTags

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - maxExtraBytes: How much of a HAR entry is kept that an exchange cannot represent.
    ///   - countsUnknown: Whether skipped NDJSON keys are counted as losses.
    package init(
        maxExtraBytes: Int = HARReader.defaultExtraBytes,
        countsUnknown: Bool = false
    ) {
        lines = NDJSONReader(countsUnknown: countsUnknown)
        entries = HARReader(maxExtraBytes: maxExtraBytes)
    }

    /// What the exchanges parsed so far could not represent.
    package var losses: LossReport {
        var losses = entries.losses
        losses.add(lines.losses)
        if !pendingLog.isEmpty { losses.count("log (without entries)") }
        return losses
    }

    /// Deviations from HAR 1.2 that were read anyway, with their interpretation.
    package var findings: LossReport { entries.findings }

    /// Parses one record.
    ///
    /// - Parameters:
    ///   - index: Its position among the records, from 0.
    ///   - records: The records.
    /// - Returns: The exchange; its id is the nil UUID if the record has none.
    /// - Throws: `RecordError` with file, line and byte. The code is `cutOff` only for a last
    ///   record that the end of the input cuts off.
    package mutating func exchange(
        at index: Int,
        of records: borrowing RawRecords
    ) throws(RecordError) -> Exchange {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 0))
        try parse(index, of: records, into: &exchange)
        return exchange
    }

    /// Parses one record into an exchange that has only a request so far.
    ///
    /// Parses in place, since an exchange is large.
    /// - Parameters:
    ///   - index: Its position among the records, from 0.
    ///   - records: The records.
    ///   - exchange: The exchange; if this throws, it contains parts of the record.
    /// - Throws: As `exchange(at:of:)`.
    package mutating func parse(
        _ index: Int,
        of records: borrowing RawRecords,
        into exchange: inout Exchange
    ) throws(RecordError) {
        let item = records.items[index]
        if let error = item.error { throw error }
        let bytes = records.bytes(at: index)
        if item.log != nil {
            if !pendingLog.isEmpty { pendingLog.append(.ascii(",")) }
            pendingLog.append(copying: records.log(at: index))
        }
        do {
            if records.format == .har {
                defer {
                    if bytes.count > Self.keptBytes { entries.shrink(toEntriesOf: Self.keptBytes) }
                }
                exchange = try entries.read(bytes)
                if !pendingLog.isEmpty {
                    let members = pendingLog
                    pendingLog = []
                    entries.add(members.span, to: &exchange)
                }
            } else {
                defer {
                    if bytes.count > Self.keptBytes { lines.shrink(toLinesOf: Self.keptBytes) }
                }
                try lines.read(bytes, into: &exchange)
            }
        } catch {
            throw Self.located(error, item, bytes, records.file)
        }
    }

    /// Converts a position in the record to one in the file.
    private static func located(
        _ error: RecordError,
        _ item: RawRecords.Item,
        _ bytes: Span<UInt8>,
        _ file: String
    ) -> RecordError {
        var line = item.line
        for index in 0..<min(error.byte, bytes.count) where bytes[index] == 0x0A { line += 1 }
        let code = error.code == .cutOff && !item.isOpen ? .notJSON : error.code
        return RecordError(
            code: code,
            message: error.message,
            file: file,
            line: line,
            byte: item.byte + error.byte
        )
    }
}
