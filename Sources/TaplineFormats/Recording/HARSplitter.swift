// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Cuts a HAR file into the elements of `log.entries`, whatever the chunks.
///
/// Our own, because a JSON library needs the whole document in memory and a HAR file may be larger
/// than that. It only follows strings and brackets: what an entry holds is checked when the entry
/// is parsed, what stands outside the entries is skipped.
///
///     { "log": { "entries": [ {…}, {…} ] } }
///     1        2            3 4
///
/// The numbers are the depth behind each bracket; entries are what opens at depth 3.
struct HARSplitter {
    private struct Place {
        var line = 1
        var byte = 0
    }

    let maxRecordBytes: Int

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

    /// What the unfinished entry has so far, and where it began.
    private var part: [UInt8] = []
    private var entry: Place?
    private var isDropping = false

    private var line = 1
    private var chunkStart = 0

    /// How deep a HAR may nest; the bits of `isObject`.
    private static let maxDepth = 64

    init(maxRecordBytes: Int) { self.maxRecordBytes = maxRecordBytes }

    mutating func append(_ chunk: Span<UInt8>, to records: inout RawRecords) throws(RecordError) {
        var at = 0
        var entryStart = 0
        while at < chunk.count {
            if inString {
                at = passString(chunk, at)
                continue
            }
            let byte = chunk[at]
            switch byte {
            case 0x22:
                try openString(at)
            case 0x7B, 0x5B:
                if try open(byte == 0x7B, at) { entryStart = at }
            case 0x7D, 0x5D:
                if try close(byte == 0x7D, at) {
                    finishEntry(chunk.extracting(entryStart..<at + 1), &records)
                    entryStart = 0
                }
            case 0x2C:
                try comma(at)
            case 0x3A:
                expectsKey = false
            case 0x0A:
                line += 1
            case 0x20, 0x09, 0x0D:
                break
            default:
                try scalar(at)
            }
            at += 1
        }
        if entry != nil { keep(chunk.extracting(entryStart..<chunk.count), &records) }
        chunkStart += chunk.count
    }

    func finish() throws(RecordError) {
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
            records.append(tooLarge)
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
                records.append(tooLarge)
            } else {
                records.append(part.span, rest, line: place.line, byte: place.byte)
            }
        }
        part.removeAll(keepingCapacity: part.capacity <= 1 << 20)
        isDropping = false
        entry = nil
        needsComma = true
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
        let stop = chunk.firstQuoteOrBackslash(after: start)
        if readsKey, key.count <= 8 {
            let end = min(stop ?? chunk.count, start + 16)
            key.append(copying: chunk.extracting(start..<end))
        }
        guard let stop else { return chunk.count }
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

    private mutating func openString(_ at: Int) throws(RecordError) {
        if entry == nil {
            if depth == 0 { throw unexpected(at, "the HAR object") }
            if inEntries && depth == 3 { throw unexpected(at, "an entry") }
            if expectsKey && (depth == 1 || depth == 2 && inLog) {
                readsKey = true
                key.removeAll(keepingCapacity: true)
            }
        }
        inString = true
    }

    private mutating func finishKey() {
        readsKey = false
        expectsKey = false
        if depth == 1 {
            inLog = key.span.equals("log")
        } else {
            inEntries = key.span.equals("entries")
        }
    }

    /// Opens a bracket; says whether an entry begins with it.
    private mutating func open(_ object: Bool, _ at: Int) throws(RecordError) -> Bool {
        if depth == Self.maxDepth {
            throw RecordError(
                code: .notJSON,
                message: "arrays and objects are nested too deeply",
                line: line,
                byte: chunkStart + at
            )
        }
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
        isObject = isObject << 1 | (object ? 1 : 0)
        return begins
    }

    /// Closes a bracket; says whether an entry ends with it.
    private mutating func close(_ object: Bool, _ at: Int) throws(RecordError) -> Bool {
        guard depth > 0, isObject & 1 == (object ? 1 : 0) else {
            throw unexpected(at, "the other bracket")
        }
        depth -= 1
        isObject >>= 1
        if entry != nil { return depth == 3 }
        if depth == 2 { inEntries = false }
        if depth == 1 { inLog = false }
        if depth == 0 { isDone = true }
        expectsKey = false
        return false
    }

    private mutating func comma(_ at: Int) throws(RecordError) {
        if entry != nil { return }
        if depth == 0 { throw unexpected(at, "the end of the file") }
        if depth == 3, inEntries {
            if !needsComma { throw unexpected(at, "an entry") }
            needsComma = false
        }
        expectsKey = isObject & 1 == 1
    }

    private mutating func scalar(_ at: Int) throws(RecordError) {
        if entry != nil { return }
        if depth == 0 { throw unexpected(at, sawEntries ? "the end of the file" : "an object") }
        if depth == 3, inEntries { throw unexpected(at, "an entry") }
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
