// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Tells the format of decompressed bytes and cuts them into records.
struct ContentSplitter {
    let maxRecordBytes: Int
    private var lines: LineSplitter?
    private var archive: HARSplitter?
    private var head: [UInt8] = []
    private(set) var byteCount = 0

    /// How many bytes are looked at to tell the format, should they be white space to the end.
    static let maxHead = 4096

    init(maxRecordBytes: Int) { self.maxRecordBytes = maxRecordBytes }

    /// What could not be carried over.
    var losses: LossReport { archive?.losses ?? LossReport() }

    var format: RecordingFormat? {
        lines != nil ? .ndjson : archive != nil ? .har : nil
    }

    mutating func append(
        _ chunk: Span<UInt8>,
        to records: inout RawRecords
    ) throws(RecordError) {
        byteCount += chunk.count
        if format != nil { return try split(chunk, &records) }
        head.append(copying: chunk)
        if try tellFormat(atEnd: false) { try splitHead(&records) }
    }

    mutating func finish(to records: inout RawRecords) throws(RecordError) {
        if format == nil, try tellFormat(atEnd: true) { try splitHead(&records) }
        lines?.finish(to: &records)
        try archive?.finish(to: &records)
    }

    private mutating func splitHead(_ records: inout RawRecords) throws(RecordError) {
        let start = head
        head = []
        try split(start.span, &records)
    }

    private mutating func split(
        _ bytes: Span<UInt8>,
        _ records: inout RawRecords
    ) throws(RecordError) {
        records.format = format
        lines?.append(bytes, to: &records)
        try archive?.append(bytes, to: &records)
    }

    /// Looks at the head; says whether the format is known now.
    ///
    /// A head of white space alone is an empty recording.
    private mutating func tellFormat(atEnd: Bool) throws(RecordError) -> Bool {
        switch FormatProbe.tell(head.span, isWhole: atEnd || head.count >= Self.maxHead) {
        case .needsMore:
            return false
        case .empty:
            return false
        case .lines(let start):
            // A byte order mark is written over with a space, so that positions stay right.
            for index in 0..<start { head[index] = 0x20 }
            lines = LineSplitter(maxRecordBytes: maxRecordBytes)
            return true
        case .archive(let start):
            for index in 0..<start { head[index] = 0x20 }
            archive = HARSplitter(maxRecordBytes: maxRecordBytes)
            return true
        case .other(let byte):
            throw RecordError(
                code: .notRecording,
                message: "not a recording; expected NDJSON records or a HAR file",
                byte: byte
            )
        }
    }
}

/// Tells NDJSON from HAR by the first bytes.
///
/// HAR is one object whose first key is `log`, or that is spread over lines before its first key
/// is complete: a line of NDJSON never is.
enum FormatProbe {
    enum Answer: Equatable {
        case needsMore
        case empty
        /// With the length of a byte order mark.
        case lines(Int)
        case archive(Int)
        case other(Int)
    }

    static func tell(_ head: Span<UInt8>, isWhole: Bool) -> Answer {
        let unsure: Answer = isWhole ? .empty : .needsMore
        var at = 0
        var mark = 0
        if head.count >= 1, head[0] == 0xEF {
            guard head.count >= 3 else { return isWhole ? .other(0) : .needsMore }
            guard head[1] == 0xBB, head[2] == 0xBF else { return .other(0) }
            mark = 3
            at = 3
        }
        while at < head.count, isSpace(head[at]) { at += 1 }
        guard at < head.count else { return unsure }
        guard head[at] == 0x7B else { return .other(at) }
        at += 1
        while at < head.count, isSpace(head[at]) {
            if head[at] == 0x0A { return .archive(mark) }
            at += 1
        }
        guard at < head.count else { return isWhole ? .lines(mark) : .needsMore }
        let log = "\"log\"".utf8.span
        let key = head.extracting(at..<min(at + log.count, head.count))
        if key.equals(log) { return .archive(mark) }
        if key.count < log.count, !isWhole, log.extracting(0..<key.count).equals(key) {
            return .needsMore
        }
        return .lines(mark)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
