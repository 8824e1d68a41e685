// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Passwords in key-value strings, as used by ODBC, ADO.NET, libpq and JDBC.
enum ConnectionString {
    /// The other keys of such a string; one of them must occur near the password.
    private static let otherKeys: [[UInt8]] = [
        "server=", "data source=", "datasource=", "host=", "hostname=", "addr=", "address=",
        "user id=", "userid=", "uid=", "user=", "username=", "database=", "dbname=",
        "initial catalog=", "driver=", "provider=",
    ].map { Array($0.utf8) }

    /// The prefix of JDBC URLs, whose parameters count as well.
    private static let driver = Array("jdbc:".utf8)

    /// The maximum distance between the password and such a key or prefix.
    private static let reach = 200

    /// How far a text was read, and where the last key and prefix were found.
    struct Memory {
        fileprivate var read = 0
        fileprivate var string = 0
        fileprivate var otherKey = -1
        fileprivate var driver = -1
    }

    /// Returns the value of a key if it is the password of a connection string.
    ///
    /// **Limits.** The search covers a bounded range around each key and reads no byte twice.
    static func range(
        in text: Span<UInt8>,
        key: Range<Int>,
        _ memory: inout Memory
    ) -> Range<Int>? {
        guard let value = value(in: text, from: key.upperBound),
            !Placeholder.isOne(text.extracting(value))
        else { return nil }
        let before = text.byte(key.lowerBound - 1)
        // After a comma, the key is an argument of a call in program code.
        let blanks = text.start(of: .blank, before: key.lowerBound, limit: 16)
        guard !ByteSet.word.contains(before), text.byte(blanks - 1) != 0x2C,
            !isMember(text, key.lowerBound), !isComputed(text, value)
        else { return nil }
        read(text, around: key.lowerBound..<value.upperBound, &memory)
        let first = max(memory.string, key.lowerBound - reach)
        // The parameter of a URL does not belong to a connection string, except in JDBC.
        let isParameter = before == 0x26 || before == 0x3F
        let last = isParameter ? memory.driver : max(memory.driver, memory.otherKey)
        return last >= first ? value : nil
    }

    /// Returns whether a key is a member of an object in program code: `this.password`,
    /// `e.password`.
    private static func isMember(_ text: Span<UInt8>, _ key: Int) -> Bool {
        guard text.byte(key - 1) == 0x2E else { return false }
        let start = text.start(of: .name, before: key - 1, limit: 5)
        let count = key - 1 - start
        return count <= 1
            || count == 4 && (text.hasBytes("this", at: start) || text.hasBytes("self", at: start))
    }

    /// Returns whether a value is an expression in program code.
    ///
    /// That is a call without arguments (`read()`) or, for a short name, an element (`r[4]`) or a
    /// logical operation (`a||b`, `a&&b`).
    private static func isComputed(_ text: Span<UInt8>, _ value: Range<Int>) -> Bool {
        let end = text.end(of: .name, from: value.lowerBound)
        let next = text.byte(end)
        guard end > value.lowerBound, !text[value.lowerBound].isDigit,
            text.byte(value.lowerBound - 1) == 0x3D
        else { return false }
        if next == 0x28 { return text.byte(end + 1) == 0x29 }
        guard end - value.lowerBound <= 2 else { return false }
        if next == 0x5B {
            let index = text.end(of: .digits, from: end + 1)
            return index > end + 1 && text.byte(index) == 0x5D
        }
        return (next == 0x7C || next == 0x26) && text.byte(end + 1) == next
    }

    /// Reads the other keys near a key and its value, within the same string.
    private static func read(_ text: Span<UInt8>, around part: Range<Int>, _ memory: inout Memory) {
        var position = max(memory.read, part.lowerBound - reach)
        let end = part.upperBound + min(reach, text.count - part.upperBound)
        while position < end {
            if !ByteSet.inString.contains(text[position]) {
                if position >= part.upperBound { break }
                memory.string = position + 1
            } else if ByteSet.letters.contains(text[position]) {
                let before = text.byte(position - 1)
                if !ByteSet.word.contains(before) {
                    if holds(driver, text, position) { memory.driver = position }
                    if before != 0x26, otherKeys.contains(where: { holds($0, text, position) }) {
                        memory.otherKey = position
                    }
                }
            }
            position += 1
        }
        memory.read = max(position, memory.read)
    }

    private static func holds(_ key: [UInt8], _ text: Span<UInt8>, _ position: Int) -> Bool {
        guard text[position] | 0x20 == key[0], position + key.count <= text.count else {
            return false
        }
        return text.extracting(position..<position + key.count).isLowercased(key)
    }

    private static func value(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
        let quote = text.byte(start)
        var position = start
        if quote == 0x27 || quote == 0x7B {
            position = text.end(of: quote == 0x27 ? .quoted : .braced, from: start + 1, limit: 256)
            return position > start + 1 ? start + 1..<position : nil
        }
        position = text.end(of: .unquoted, from: start, limit: 256)
        return position > start ? start..<position : nil
    }
}

extension ByteSet {
    fileprivate static let blank = ByteSet(" ") { $0 == 0x20 || 0x09...0x0D ~= $0 }
    /// The bytes of names in programs.
    fileprivate static let name = ByteSet("0-9A-Za-z_$") { word.contains($0) || $0 == 0x24 }
    fileprivate static let inString = ByteSet("…") { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
    fileprivate static let quoted = ByteSet("…") { $0 >= 0x20 && $0 != 0x27 && $0 != 0x22 }
    fileprivate static let braced = ByteSet("…") { $0 >= 0x20 && $0 != 0x7D && $0 != 0x22 }
    fileprivate static let unquoted = ByteSet("…") { byte in
        byte > 0x20 && byte != 0x22 && byte != 0x3B && byte != 0x26 && byte != 0x27 && byte != 0x3C
            && byte != 0x5C
    }
}

extension Span where Element == UInt8 {
    fileprivate func isLowercased(_ wanted: [UInt8]) -> Bool {
        for index in indices {
            let byte = self[index]
            if (0x41...0x5A ~= byte ? byte | 0x20 : byte) != wanted[index] { return false }
        }
        return true
    }
}
