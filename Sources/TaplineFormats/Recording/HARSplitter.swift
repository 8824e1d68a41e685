// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Cuts a HAR file into the elements of `log.entries`, whatever the chunks.
///
/// Our own, because a JSON library needs the whole document in memory and a HAR file may be larger
/// than that. It only follows strings and brackets: what an entry holds is checked when the entry
/// is parsed. What the log has beside its entries goes along with the first entry, and what comes
/// after them with the last: an entry is therefore held until the next one or the end is seen.
///
///     { "log": { "entries": [ {…}, {…} ] } }
///     1        2            3 4
///
/// The numbers are the depth after each bracket; entries are what opens at depth 3.
struct HARSplitter {
    private struct Place {
        var line = 1
        var byte = 0
    }

    let maxRecordBytes: Int
    /// What could not be carried over.
    private(set) var losses = LossReport()

    private var depth = 0
    /// One bit for each open bracket, set for an object; the innermost is bit 0.
    private var isObject: UInt64 = 0
    private var inString = false
    private var isEscaped = false

    /// The key that is being read, where it matters; longer keys than the wanted ones are cut.
    private var key: [UInt8] = []
    private var readsKey = false
    private var expectsKey = false
    private var inLog = false
    private var inEntries = false
    private var sawEntries = false
    private var isDone = false
    private var needsComma = false
    /// Whether the present element of the entries is a scalar, which is no entry.
    private var isRefused = false

    /// What the unfinished entry has so far, and where it began.
    private var part: [UInt8] = []
    private var entry: Place?
    private var isDropping = false

    /// The last whole entry.
    private var held: [UInt8] = []
    private var heldPlace: Place?
    private var log: HARLogMembers

    private var line = 1
    private var chunkStart = 0

    /// How deep brackets are told apart; the bits of `isObject`.
    private static let maxDepth = 64

    init(maxRecordBytes: Int, maxExtraBytes: Int) {
        self.maxRecordBytes = maxRecordBytes
        log = HARLogMembers(limit: maxExtraBytes)
    }

    mutating func append(_ chunk: Span<UInt8>, to records: inout RawRecords) throws(RecordError) {
        do {
            try split(chunk, &records)
        } catch {
            // What was read before the error is whole.
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
            if inString {
                let start = at
                at = passString(chunk, at)
                if entry == nil { log.take(chunk.extracting(start..<at)) }
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
                expectsKey = false
            case 0x0A:
                line += 1
            case 0x20, 0x09, 0x0D:
                break
            default:
                try scalar(at, &records)
            }
            if entry == nil { log.take(byte) }
            at += 1
        }
        if entry != nil { keep(chunk.extracting(entryStart..<chunk.count), &records) }
        if isDone { release(&records) }
        chunkStart += chunk.count
    }

    mutating func finish(to records: inout RawRecords) throws(RecordError) {
        release(&records)
        if !log.members.isEmpty { losses.count("log (without entries)") }
        if depth > 0 || inString {
            throw RecordError(
                code: .cutOff,
                message: "the HAR file is cut off",
                line: line,
                byte: chunkStart
            )
        }
        if !sawEntries {
            throw RecordError(
                code: .wrongShape,
                message: "no 'log.entries' in the HAR file",
                line: line,
                byte: chunkStart
            )
        }
    }
}

// MARK: - Entries

extension HARSplitter {
    /// Keeps the part of the entry that this chunk has.
    private mutating func keep(_ bytes: Span<UInt8>, _ records: inout RawRecords) {
        if isDropping { return }
        if part.count + bytes.count > maxRecordBytes {
            refuse(tooLarge, &records)
            part = []
            isDropping = true
        } else {
            part.append(copying: bytes)
        }
    }

    private mutating func finishEntry(_ rest: Span<UInt8>, _ records: inout RawRecords) {
        guard let place = entry else { return }
        if !isDropping {
            if part.count + rest.count > maxRecordBytes {
                refuse(tooLarge, &records)
            } else {
                release(&records)
                let start = part
                held.append(copying: start.span)
                held.append(copying: rest)
                heldPlace = place
            }
        }
        part.removeAll(keepingCapacity: part.capacity <= 1 << 20)
        isDropping = false
        entry = nil
        needsComma = true
    }

    /// Hands the last entry on, with what the file had before it, or after it at the end.
    mutating func release(_ records: inout RawRecords) {
        guard let place = heldPlace else { return }
        records.append(held.span, Span(), line: place.line, byte: place.byte)
        let members = log.members
        records.attachToLast(log: members.span)
        log.members.removeAll()
        held.removeAll(keepingCapacity: held.capacity <= 1 << 20)
        heldPlace = nil
    }

    /// Puts an error in the place of an entry.
    private mutating func refuse(_ error: RecordError, _ records: inout RawRecords) {
        release(&records)
        records.append(error)
    }

    /// Refuses an element that is no object; the others are read.
    private mutating func refuseElement(_ at: Int, _ records: inout RawRecords) {
        if isRefused { return }
        isRefused = true
        needsComma = true
        refuse(
            RecordError(
                code: .wrongShape,
                message: "found no object among the entries, expected an entry",
                line: line,
                byte: chunkStart + at
            ),
            &records
        )
    }

    private var tooLarge: RecordError {
        RecordError(
            code: .tooLarge,
            message: "the entry is too large; expected at most \(maxRecordBytes) bytes",
            line: entry?.line ?? line,
            byte: entry?.byte ?? chunkStart
        )
    }
}

// MARK: - Tokens

extension HARSplitter {
    /// Passes over a string's bytes, to its end or the chunk's.
    private mutating func passString(_ chunk: Span<UInt8>, _ start: Int) -> Int {
        if isEscaped {
            isEscaped = false
            return start + 1
        }
        let stop = chunk.firstIndex(ofEither: 0x22, 0x5C, from: start)
        if readsKey, key.count <= 8 {
            let end = min(stop, start + 16)
            key.append(copying: chunk.extracting(start..<end))
        }
        guard stop < chunk.count else { return stop }
        if chunk[stop] == 0x5C {
            isEscaped = true
            // A key with an escape is none of those wanted: make sure that it does not look so.
            if readsKey { key.append(0x5C) }
        } else {
            inString = false
            if readsKey { finishKey() }
        }
        return stop + 1
    }

    private mutating func openString(
        _ at: Int,
        _ records: inout RawRecords
    ) throws(RecordError) {
        if entry == nil {
            if depth == 0 { throw unexpected(at, "the HAR object") }
            if inEntries && depth == 3 { refuseElement(at, &records) }
            if expectsKey && (depth == 1 || depth == 2 && inLog) {
                readsKey = true
                key.removeAll(keepingCapacity: true)
                if depth == 2 { log.begin() }
            }
        }
        inString = true
    }

    private mutating func finishKey() {
        readsKey = false
        expectsKey = false
        if depth == 1 {
            inLog = key.span.equals("log")
            if !inLog { losses.count("members beside 'log'") }
        } else {
            inEntries = key.span.equals("entries")
            if inEntries { log.drop() }
        }
    }

    /// Opens a bracket; returns whether it begins an entry.
    private mutating func open(_ object: Bool, _ at: Int) throws(RecordError) -> Bool {
        var begins = false
        if entry == nil {
            if depth == 0, isDone || !object { throw unexpected(at, "one HAR object") }
            if inEntries && depth == 3 {
                if needsComma { throw unexpected(at, "',' or the end of the entries") }
                entry = Place(line: line, byte: chunkStart + at)
                begins = true
            } else if inEntries && depth == 2 {
                if object { throw unexpected(at, "an array of entries") }
                sawEntries = true
                needsComma = false
            }
            expectsKey = object
        }
        depth += 1
        // Parsers find what is wrong deep within an entry or a member; here brackets are only counted.
        if depth <= Self.maxDepth { isObject = isObject << 1 | (object ? 1 : 0) }
        return begins
    }

    /// Closes a bracket; returns whether an entry ends with it.
    private mutating func close(_ object: Bool, _ at: Int) throws(RecordError) -> Bool {
        let isDeep = depth > Self.maxDepth
        guard depth > 0, isDeep || isObject & 1 == (object ? 1 : 0) else {
            throw unexpected(at, "the other bracket")
        }
        depth -= 1
        if !isDeep { isObject >>= 1 }
        if entry != nil { return depth == 3 }
        isRefused = false
        if depth == 2 { inEntries = false }
        if depth == 1 {
            if let loss = log.end() { losses.count(loss) }
            inLog = false
        }
        if depth == 0 { isDone = true }
        expectsKey = false
        return false
    }

    private mutating func comma(_ at: Int, _ records: inout RawRecords) throws(RecordError) {
        if entry != nil { return }
        if depth == 0 { throw unexpected(at, "the end of the file") }
        if depth == 2, inLog, let loss = log.end() { losses.count(loss) }
        if depth == 3, inEntries {
            if !needsComma { refuseElement(at, &records) }
            needsComma = false
            isRefused = false
        }
        expectsKey = isObject & 1 == 1
    }

    private mutating func scalar(_ at: Int, _ records: inout RawRecords) throws(RecordError) {
        if entry != nil { return }
        if depth == 0 { throw unexpected(at, sawEntries ? "the end of the file" : "an object") }
        if depth == 3, inEntries { refuseElement(at, &records) }
    }

    private func unexpected(_ at: Int, _ expected: StaticString) -> RecordError {
        RecordError(
            code: .notJSON,
            message: "found something else in the HAR file, expected \(expected)",
            line: line,
            byte: chunkStart + at
        )
    }
}
