// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Detects the format of decompressed bytes and splits them into records.
struct ContentSplitter {
    let maxRecordBytes: Int
    let maxExtraBytes: Int
    private var lines: LineSplitter?
    private var archive: HARSplitter?
    private var head: [UInt8] = []

    /// How many bytes of an object are examined to detect the format.
    static let maxHead = 4096

    init(maxRecordBytes: Int, maxExtraBytes: Int) {
        self.maxRecordBytes = maxRecordBytes
        self.maxExtraBytes = maxExtraBytes
    }

    /// What could not be preserved.
    var losses: LossReport { archive?.losses ?? LossReport() }

    var format: RecordingFormat? {
        lines != nil ? .ndjson : archive != nil ? .har : nil
    }

    mutating func append(
        _ chunk: Span<UInt8>,
        to records: inout RawRecords
    ) throws(RecordError) {
        if format != nil { return try split(chunk, &records) }
        head.append(copying: chunk)
        if try detectFormat(atEnd: false) { try splitHead(&records) }
    }

    mutating func finish(to records: inout RawRecords) throws(RecordError) {
        if format == nil, try detectFormat(atEnd: true) { try splitHead(&records) }
        lines?.finish(to: &records)
        try archive?.finish(to: &records)
    }

    /// Releases complete records, since the rest cannot be read.
    mutating func release(to records: inout RawRecords) { archive?.release(&records) }

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

    /// Examines the start of the content; returns whether the format is known now.
    ///
    /// Content of white space alone is an empty recording.
    private mutating func detectFormat(atEnd: Bool) throws(RecordError) -> Bool {
        switch FormatProbe.detect(head.span, atEnd: atEnd) {
        case .needsMore:
            return false
        case .empty:
            return false
        case .lines(let start):
            // A byte order mark is replaced with spaces, so that positions stay correct.
            for index in 0..<start { head[index] = 0x20 }
            lines = LineSplitter(maxRecordBytes: maxRecordBytes)
            return true
        case .archive(let start):
            for index in 0..<start { head[index] = 0x20 }
            archive = HARSplitter(maxRecordBytes: maxRecordBytes, maxExtraBytes: maxExtraBytes)
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

/// Distinguishes NDJSON and HAR by the first bytes.
///
/// HAR is an object with the key `log`, or one that spans several lines, which a line of NDJSON
/// never does. If the first bytes are not conclusive, the format is NDJSON.
enum FormatProbe {
    enum Answer: Equatable {
        case needsMore
        case empty
        /// Lines, with the length of a byte order mark.
        case lines(Int)
        case archive(Int)
        case other(Int)
    }

    static func detect(_ head: Span<UInt8>, atEnd: Bool) -> Answer {
        let unsure: Answer = atEnd ? .empty : .needsMore
        var at = 0
        var mark = 0
        if head.count >= 1, head[0] == 0xEF {
            guard head.count >= 3 else { return atEnd ? .other(0) : .needsMore }
            guard head[1] == 0xBB, head[2] == 0xBF else { return .other(0) }
            mark = 3
            at = 3
        }
        while at < head.count, isSpace(head[at]) { at += 1 }
        guard at < head.count else { return unsure }
        guard head[at] == 0x7B else { return .other(at) }
        let start = head.extracting(at + 1..<min(head.count, at + 1 + ContentSplitter.maxHead))
        if let isArchive = isArchive(start) { return isArchive ? .archive(mark) : .lines(mark) }
        return atEnd || start.count == ContentSplitter.maxHead ? .lines(mark) : .needsMore
    }

    /// Whether the keys of an object are those of HAR, rather than of a record; `nil` if undecided.
    private static func isArchive(_ members: Span<UInt8>) -> Bool? {
        var depth = 1
        var expectsKey = true
        var at = 0
        while at < members.count {
            switch members[at] {
            case 0x22:
                guard let end = stringEnd(members, at + 1) else { return nil }
                let key = members.extracting(at + 1..<end)
                if depth == 1, expectsKey {
                    if key.equals("log") { return true }
                    if records.contains(where: { key.equals($0) }) { return false }
                    expectsKey = false
                }
                at = end
            case 0x7B, 0x5B:
                depth += 1
            case 0x7D, 0x5D:
                depth -= 1
                if depth == 0 { return false }
            case 0x2C where depth == 1:
                expectsKey = true
            case 0x0A:
                return true
            default:
                break
            }
            at += 1
        }
        return nil
    }

    /// The keys of which each record has at least one.
    private static let records = ["v", "request", "response"]

    /// The position of the quote that ends a string; `nil` if it has not arrived yet.
    private static func stringEnd(_ text: Span<UInt8>, _ start: Int) -> Int? {
        var at = start
        while at < text.count {
            if text[at] == 0x22 { return at }
            at += text[at] == 0x5C ? 2 : 1
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
