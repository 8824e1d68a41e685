// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// International bank account numbers (ISO 13616): country, length and check digits must agree.
enum IBAN {
    /// Returns the number that begins with a country and two digits, in one piece or in groups of
    /// four.
    static func range(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
        guard text.isWordStart(start),
            let length = lengths[UInt16(text[start]) << 8 | UInt16(text[start + 1])]
        else { return nil }
        let isGrouped = CardNumber.separatorWidth(at: start + 4, in: text) > 0
        var position = start
        var count = 0
        // The remainder of the number with its first four characters moved to the end, and theirs.
        var account = 0
        var head = 0
        while count < length {
            if isGrouped, count > 0, count.isMultiple(of: 4) {
                let width = CardNumber.separatorWidth(at: position, in: text)
                guard width > 0 else { return nil }
                position += width
            }
            let byte = text.byte(position)
            guard ByteSet.capitals.contains(byte) else { return nil }
            if count < 4 { append(byte, to: &head) } else { append(byte, to: &account) }
            position += 1
            count += 1
        }
        guard !ByteSet.word.contains(text.byte(position)) else { return nil }
        // The first four characters are two letters and two digits: six decimal places.
        return (account * 1_000_000 + head) % 97 == 1 ? start..<position : nil
    }

    /// Appends a digit, or the two digits that represent a letter (ISO 7064, MOD 97-10).
    private static func append(_ byte: UInt8, to rest: inout Int) {
        rest = byte.isDigit ? rest * 10 + Int(byte) - 0x30 : rest * 100 + Int(byte) - 0x37
        rest %= 1_000_000 * 97
    }

    /// The lengths by country.
    private static let lengths: [UInt16: Int] = {
        let table =
            "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 "
            + "DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 "
            + "HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 "
            + "MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 "
            + "RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 "
            + "VG24 XK20 YE30"
        var lengths: [UInt16: Int] = [:]
        for entry in table.split(separator: " ") {
            let bytes = Array(entry.utf8)
            lengths[UInt16(bytes[0]) << 8 | UInt16(bytes[1])] = Int(entry.dropFirst(2))
        }
        return lengths
    }()
}
