// SPDX-License-Identifier: MIT

/// Passwords in strings of keys and values, as ODBC, ADO.NET, libpq and JDBC use them.
enum ConnectionString {
    /// The other keys of such a string; one has to stand near the password.
    private static let partners: [[UInt8]] = [
        "server=", "data source=", "datasource=", "host=", "hostname=", "addr=", "address=",
        "user id=", "userid=", "uid=", "user=", "username=", "database=", "dbname=",
        "initial catalog=", "driver=", "jdbc:", "provider=",
    ].map { Array($0.utf8) }

    /// How far from the password they may stand.
    private static let reach = 200

    /// The value of a key, where that is the password of a connection string.
    static func range(in text: Span<UInt8>, key: Range<Int>) -> Range<Int>? {
        guard let value = value(in: text, from: key.upperBound),
            !Placeholder.isOne(text.extracting(value))
        else { return nil }
        let before = text.byte(key.lowerBound - 1)
        let isParameter = before == 0x26 || before == 0x3F
        guard isParameter || !ByteSet.word.contains(before) else { return nil }
        let start = text.start(of: .inString, before: key.lowerBound, limit: reach)
        if holdsPartner(text, start..<key.lowerBound, onlyJDBC: isParameter) { return value }
        guard !isParameter else { return nil }
        let end = text.end(of: .inString, from: value.upperBound, limit: reach)
        return holdsPartner(text, value.upperBound..<end, onlyJDBC: false) ? value : nil
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

    private static func holdsPartner(
        _ text: Span<UInt8>,
        _ range: Range<Int>,
        onlyJDBC: Bool
    ) -> Bool {
        for position in range {
            let before = text.byte(position - 1)
            guard !ByteSet.word.contains(before), ByteSet.letters.contains(text[position]) else {
                continue
            }
            for partner in partners where position + partner.count <= range.upperBound {
                guard partner.last == 0x3A || !(onlyJDBC || before == 0x26) else { continue }
                if text.extracting(position..<position + partner.count).isLowercased(partner) {
                    return true
                }
            }
        }
        return false
    }
}

extension ByteSet {
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
