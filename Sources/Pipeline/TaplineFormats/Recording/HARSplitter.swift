// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Splits a HAR file into the elements of `log.entries`, for any division into chunks.
///
/// A JSON library needs the whole document in memory, and a HAR file may be larger than that. The
/// splitter only tracks strings and brackets; an entry's content is checked when the entry is
/// parsed. The log's other members are attached to the first entry, or to the last if they follow
/// the entries. An entry is therefore held until the next one or the end is found.
///
///     { "log": { "entries": [ {…}, {…} ] } }
///     1        2            3 4
///
/// The numbers are the depth after each bracket; entries open at depth 3.
struct HARSplitter {
    /// A place in the file.
    private struct Position {
        var line = 1
        var byte = 0
    }

    /// The part of the file that is being read.
    private enum Location {
        /// Before the HAR object.
        case start
        /// Beside `log`.
        case object
        /// In the value of `log`, beside `entries`.
        case log
        /// In the value of `log.entries`.
        case entries
        /// After the HAR object.
        case end
    }

    /// What the array of entries allows next.
    private enum Element {
        /// An entry, or the end of an empty array.
        case expected
        /// A comma or the end of the array.
        case read
        /// The same after an element that is not an object; the rest of that element is ignored.
        case refused
    }

    /// The entry that is being read.
    private enum Current {
        case none
        case entry(Position)
        /// Its bytes are dropped.
        case tooLarge(Position)
    }

    /// Whether the bytes are those of a string.
    private enum Text {
        case outside
        case inside
        case afterBackslash
    }

    /// The key of a member that matters.
    private struct Key {
        enum State {
            case none
            /// The next string is a key.
            case expected
            case reading
        }

        var state = State.none
        /// Its first bytes: no key that matters is longer.
        var bytes: [UInt8] = []
    }

    /// The last complete entry.
    private struct Held {
        var bytes: [UInt8] = []
        /// Where it began; `nil` if there is none.
        var position: Position?
    }

    let maxRecordBytes: Int
    /// What could not be preserved.
    private(set) var losses = LossReport()

    private var location = Location.start
    private var hasEntries = false
    private var element = Element.expected
    private var nesting = JSONNesting()
    private var text = Text.outside
    private var key = Key()

    private var current = Current.none
    /// The bytes of the current entry in earlier chunks.
    private var part: [UInt8] = []
    private var held = Held()
    private var log: HARLogMembers

    private var line = 1
    /// The number of bytes before the present chunk.
    private var chunkStart = 0

    init(maxRecordBytes: Int, maxExtraBytes: Int) {
        self.maxRecordBytes = maxRecordBytes
        log = HARLogMembers(limit: maxExtraBytes)
    }

    mutating func append(_ chunk: Span<UInt8>, to records: inout RawRecords) throws(RecordError) {
        do {
            try split(chunk, &records)
        } catch {
            // The entries read before the error are complete.
            release(&records)
            throw error
        }
    }

    private mutating func split(
        _ chunk: Span<UInt8>,
        _ records: inout RawRecords
    ) throws(RecordError) {
        var at = 0
        var entryStart = 0
        while at < chunk.count {
            if text != .outside {
                let start = at
                at = passString(chunk, at)
                if !isInEntry { log.take(chunk.extracting(start..<at)) }
                continue
            }
            let byte = chunk[at]
            switch byte {
            case 0x22:
                try openString(at, &records)
            case 0x7B, 0x5B:
                if try open(byte == 0x7B, at) { entryStart = at }
            case 0x7D, 0x5D:
                if try close(byte == 0x7D, at) {
                    finishEntry(chunk.extracting(entryStart..<at + 1), &records)
                    entryStart = 0
                }
            case 0x2C:
                try comma(at, &records)
            case 0x3A:
                key.state = .none
            case 0x0A:
                line += 1
            case 0x20, 0x09, 0x0D:
                break
            default:
                try scalar(at, &records)
            }
            if !isInEntry { log.take(byte) }
            at += 1
        }
        if isInEntry { keep(chunk.extracting(entryStart..<chunk.count), &records) }
        if location == .end { release(&records) }
        chunkStart += chunk.count
    }

    mutating func finish(to records: inout RawRecords) throws(RecordError) {
        release(&records)
        if !log.members.isEmpty { losses.count("log (without entries)") }
        if nesting.depth > 0 || text != .outside {
            throw RecordError(
                code: .cutOff,
                message: "the HAR file is cut off",
                line: line,
                byte: chunkStart
            )
        }
        if !hasEntries {
            throw RecordError(
                code: .wrongShape,
                message: "no 'log.entries' in the HAR file",
                line: line,
                byte: chunkStart
            )
        }
    }
}

/// The open brackets of a JSON text.
private struct JSONNesting {
    private(set) var depth = 0
    /// A bit for each open bracket, set for an object; that of the innermost is the lowest.
    private var objects: UInt64 = 0

    /// The depth up to which kinds of brackets are checked: the number of bits in `objects`.
    private static let maxDepth = 64

    /// Whether the innermost bracket is that of an object.
    var isObject: Bool { objects & 1 == 1 }

    mutating func open(object: Bool) {
        depth += 1
        // Parsers find errors deep within an entry or a member; here brackets are only counted.
        if depth <= Self.maxDepth { objects = objects << 1 | (object ? 1 : 0) }
    }

    /// Closes the innermost bracket; returns `false` if there is none or it is of the other kind.
    mutating func close(object: Bool) -> Bool {
        let isDeep = depth > Self.maxDepth
        guard depth > 0, isDeep || isObject == object else { return false }
        depth -= 1
        if !isDeep { objects >>= 1 }
        return true
    }
}

// MARK: - Entries

extension HARSplitter {
    private var isInEntry: Bool {
        if case .none = current { false } else { true }
    }

    /// Keeps the part of the entry in this chunk.
    private mutating func keep(_ bytes: Span<UInt8>, _ records: inout RawRecords) {
        guard case .entry(let start) = current else { return }
        if part.count + bytes.count > maxRecordBytes {
            refuse(tooLarge(start), &records)
            part = []
            current = .tooLarge(start)
        } else {
            part.append(copying: bytes)
        }
    }

    private mutating func finishEntry(_ rest: Span<UInt8>, _ records: inout RawRecords) {
        if case .entry(let start) = current {
            if part.count + rest.count > maxRecordBytes {
                refuse(tooLarge(start), &records)
            } else {
                release(&records)
                held.bytes += part
                held.bytes.append(copying: rest)
                held.position = start
            }
        }
        part.removeAll(keepingCapacity: part.capacity <= 1 << 20)
        current = .none
        element = .read
    }

    /// Releases the last entry, with the members before it, or after it at the end of the file.
    mutating func release(_ records: inout RawRecords) {
        guard let start = held.position else { return }
        records.append(held.bytes.span, Span(), line: start.line, byte: start.byte)
        let members = log.members
        records.attachToLast(log: members.span)
        log.members.removeAll()
        held.bytes.removeAll(keepingCapacity: held.bytes.capacity <= 1 << 20)
        held.position = nil
    }

    /// Adds an error in place of an entry.
    private mutating func refuse(_ error: RecordError, _ records: inout RawRecords) {
        release(&records)
        records.append(error)
    }

    /// Rejects an element that is not an object; the others are read.
    private mutating func refuseElement(_ at: Int, _ records: inout RawRecords) {
        if element == .refused { return }
        element = .refused
        refuse(
            RecordError(
                code: .wrongShape,
                message: "found an entry that is not an object",
                line: line,
                byte: chunkStart + at
            ),
            &records
        )
    }

    private func tooLarge(_ start: Position) -> RecordError {
        RecordError(
            code: .tooLarge,
            message: "the entry is too large; expected at most \(maxRecordBytes) bytes",
            line: start.line,
            byte: start.byte
        )
    }
}

// MARK: - Tokens

extension HARSplitter {
    /// Whether the next key, string or bracket is directly in the value of `log`.
    private var isInLog: Bool {
        nesting.depth == 2 && (location == .log || location == .entries)
    }

    /// Whether the next string, bracket or scalar is an element of the entries.
    private var isInEntries: Bool { nesting.depth == 3 && location == .entries }

    /// Skips a string's bytes, to its end or the end of the chunk.
    private mutating func passString(_ chunk: Span<UInt8>, _ start: Int) -> Int {
        if text == .afterBackslash {
            text = .inside
            return start + 1
        }
        let stop = chunk.firstIndex(ofEither: 0x22, 0x5C, from: start)
        if key.state == .reading, key.bytes.count <= 8 {
            let end = min(stop, start + 16)
            key.bytes.append(copying: chunk.extracting(start..<end))
        }
        guard stop < chunk.count else { return stop }
        if chunk[stop] == 0x5C {
            text = .afterBackslash
            // A key with an escape does not matter, and may not look like one that does.
            if key.state == .reading, key.bytes.count <= 8 { key.bytes.append(0x5C) }
        } else {
            text = .outside
            if key.state == .reading { finishKey() }
        }
        return stop + 1
    }

    private mutating func openString(
        _ at: Int,
        _ records: inout RawRecords
    ) throws(RecordError) {
        if !isInEntry {
            if nesting.depth == 0 { throw unexpected(at, "the HAR object") }
            if isInEntries { refuseElement(at, &records) }
            if key.state == .expected, nesting.depth == 1 || isInLog {
                key.state = .reading
                key.bytes.removeAll(keepingCapacity: true)
                if isInLog { log.begin() }
            }
        }
        text = .inside
    }

    private mutating func finishKey() {
        key.state = .none
        if nesting.depth == 1 {
            let isLog = key.bytes.span.equals("log")
            location = isLog ? .log : .object
            if !isLog { losses.count("members outside 'log'") }
        } else {
            let isEntries = key.bytes.span.equals("entries")
            location = isEntries ? .entries : .log
            if isEntries { log.drop() }
        }
    }

    /// Opens a bracket; returns whether it begins an entry.
    private mutating func open(_ object: Bool, _ at: Int) throws(RecordError) -> Bool {
        defer { nesting.open(object: object) }
        if isInEntry { return false }
        key.state = object ? .expected : .none
        if nesting.depth == 0 {
            guard location == .start, object else { throw unexpected(at, "one HAR object") }
            location = .object
        } else if isInEntries {
            guard element == .expected else {
                throw unexpected(at, "',' or the end of the entries")
            }
            current = .entry(Position(line: line, byte: chunkStart + at))
            return true
        } else if isInLog, location == .entries {
            if object { throw unexpected(at, "an array of entries") }
            hasEntries = true
            element = .expected
        }
        return false
    }

    /// Closes a bracket; returns whether it ends an entry.
    private mutating func close(_ object: Bool, _ at: Int) throws(RecordError) -> Bool {
        guard nesting.close(object: object) else {
            throw unexpected(at, "the other closing bracket")
        }
        if isInEntry { return nesting.depth == 3 }
        switch nesting.depth {
        case 0: location = .end
        case 1:
            if let loss = log.end() { losses.count(loss) }
            location = .object
        case 2 where location == .entries: location = .log
        default: break
        }
        key.state = .none
        return false
    }

    private mutating func comma(_ at: Int, _ records: inout RawRecords) throws(RecordError) {
        if isInEntry { return }
        if nesting.depth == 0 { throw unexpected(at, "the end of the file") }
        if isInLog, let loss = log.end() { losses.count(loss) }
        if isInEntries {
            if element == .expected { refuseElement(at, &records) }
            element = .expected
        }
        key.state = nesting.isObject ? .expected : .none
    }

    private mutating func scalar(_ at: Int, _ records: inout RawRecords) throws(RecordError) {
        if isInEntry { return }
        if nesting.depth == 0 {
            throw unexpected(at, hasEntries ? "the end of the file" : "an object")
        }
        if isInEntries { refuseElement(at, &records) }
    }

    private func unexpected(_ at: Int, _ expected: StaticString) -> RecordError {
        RecordError(
            code: .notJSON,
            message: "unexpected content in the HAR file; expected \(expected)",
            line: line,
            byte: chunkStart + at
        )
    }
}
