// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// The encoding of a text's characters, as named by a media type, a page or an XML declaration.
package enum Charset: Hashable, Sendable {
    /// UTF-8, which includes ASCII.
    case utf8
    /// UTF-16; the byte order follows from the text, or else from the name.
    case utf16
    /// UTF-32; the byte order follows from the text, or else from the name.
    case utf32
    /// A charset whose characters are encoded independently of their context, with iconv's name.
    case stateless(String)
    /// A charset whose bytes depend on those before them, with iconv's name.
    case stateful(String)
    /// A name that neither Tapline nor iconv supports.
    case unknown

    /// Reads a name of the IANA registry or of the WHATWG Encoding Standard.
    ///
    /// `nil` if the label names no charset: it is empty, `none`, or an unreplaced placeholder.
    package init?(label: Span<UInt8>) {
        let written = label.extracting(Charset.name(in: label))
        if written.count == 5, Array(lowercasing: written).elementsEqual("utf-8".utf8) {
            self = .utf8
            return
        }
        guard let name = Charset.normalized(written), !Charset.placeholders.contains(name) else {
            return nil
        }
        self = Charset.known(name) ?? .unknown
    }

    /// Returns the range of the name, without blanks, quotes and any text after it.
    private static func name(in label: Span<UInt8>) -> Range<Int> {
        func isEdge(_ byte: UInt8) -> Bool {
            byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
        }
        var start = 0
        while start < label.count, isEdge(label[start]) { start += 1 }
        var end = start
        while end < label.count, !isEdge(label[end]), label[end] != UInt8(ascii: ","),
            label[end] != UInt8(ascii: ";")
        {
            end += 1
        }
        return start..<end
    }

    /// Returns the letters and digits of a name in lower case; `nil` if it cannot be a name.
    ///
    /// A year (`ISO_8859-1:1987`) and the prefix `x-` of private names are removed.
    private static func normalized(_ label: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var isInYear = false
        for index in label.indices {
            switch label[index] {
            case 0x30...0x39, 0x61...0x7A: if !isInYear { bytes.append(label[index]) }
            case 0x41...0x5A: if !isInYear { bytes.append(label[index] | 0x20) }
            case UInt8(ascii: ":"): isInYear = true
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"),
                UInt8(ascii: "("), UInt8(ascii: ")"):
                if bytes == [UInt8(ascii: "x")] { bytes = [] }
            default: return nil
            }
        }
        if bytes.starts(with: "cs".utf8), bytes.count > 4 { bytes.removeFirst(2) }
        return bytes.isEmpty || bytes.count > 40 ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Labels that name no charset.
    private static let placeholders: Set<String> = [
        "none", "undefined", "null", "nil", "unknown", "auto", "default", "binary", "false",
    ]
}

// MARK: - Names

extension Charset {
    private static func known(_ name: String) -> Charset? {
        if let found = table[name] { return found }
        for (prefix, make) in families where name.hasPrefix(prefix) {
            guard let number = Int(name.dropFirst(prefix.count)) else { continue }
            return make(number)
        }
        return nil
    }

    private static func latin(_ number: Int) -> Charset? {
        let parts = [1: 1, 2: 2, 3: 3, 4: 4, 5: 9, 6: 10, 7: 13, 8: 14, 9: 15, 10: 16]
        return parts[number].flatMap(iso8859)
    }

    private static func iso8859(_ part: Int) -> Charset? {
        (1...16).contains(part) && part != 12 ? .stateless("ISO-8859-\(part)") : nil
    }

    private static func windows(_ number: Int) -> Charset? {
        switch number {
        case 874, 932, 936, 949, 950: codePage(number)
        case 1250...1257: .stateless("CP\(number)")
        // In this charset, accents follow their letters.
        case 1258: .stateful("CP1258")
        default: nil
        }
    }

    /// Code pages by the numbers of IBM and Microsoft; opening a converter shows whether iconv has
    /// one.
    private static func codePage(_ number: Int) -> Charset? {
        switch number {
        case 367, 65001, 20127: .utf8
        case 1200, 1201: .utf16
        case 874: .stateless("CP874")
        case 932: .stateless("CP932")
        case 936, 54936: .stateless("GB18030")
        case 949: .stateless("UHC")
        case 950: .stateless("BIG5")
        case 1250...1258: windows(number)
        case 28591...28606: iso8859(number - 28590)
        case 20866: .stateless("KOI8-R")
        case 21866: .stateless("KOI8-U")
        case 51932: .stateless("EUC-JP-MS")
        case 51949: .stateless("UHC")
        case 65000: .stateful("UTF-7")
        // These shift between one and two bytes per character.
        case 930, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399: .stateful("IBM\(number)")
        case 37...16_999: .stateless(number == 37 ? "IBM037" : "IBM\(number)")
        default: nil
        }
    }

    private static let families: [(prefix: String, make: @Sendable (Int) -> Charset?)] = [
        ("iso8859", iso8859), ("isolatin", latin), ("latin", latin), ("l", latin),
        ("windows", windows), ("cp", codePage), ("ibm", codePage), ("ccsid", codePage),
        ("ebcdiccp", codePage), ("dos", codePage), ("ms", codePage),
    ]

    private static let table: [String: Charset] = {
        var table: [String: Charset] = [:]
        for (charset, names) in lists {
            for name in names.split(separator: " ") { table[String(name)] = charset }
        }
        return table
    }()

    private static let lists: [(Charset, String)] = [
        (.utf8, "utf8 utf8n utf8mb4 unicode11utf8 unicode20utf8 usascii ascii iso646us us"),
        (.utf8, "ansix341968 ansix341986 isoir6 646 cp65001"),
        (.utf16, "utf16 utf16le utf16be ucs2 ucs2le ucs2be iso10646ucs2 unicode unicodefffe"),
        (.utf32, "utf32 utf32le utf32be ucs4 ucs4le ucs4be iso10646ucs4"),
        (.stateless("ISO-8859-6"), "iso88596i iso88596e arabic asmo708 ecma114"),
        (.stateless("ISO-8859-7"), "greek greek8 ecma118 elot928"),
        (.stateless("ISO-8859-8"), "iso88598i iso88598e hebrew logical visual"),
        (.stateless("ISO-8859-5"), "cyrillic"),
        (.stateless("KOI8-R"), "koi8r koi8 koi"),
        (.stateless("KOI8-U"), "koi8u koi8ru"),
        (.stateless("KOI8-T"), "koi8t"),
        (.stateless("CP874"), "tis620 thai"),
        (.stateless("GB18030"), "gb18030 gbk gb2312 gb231280 euccn gbkeuc chinese isoir58"),
        (.stateless("BIG5"), "big5 bigfive cnbig5 xbig5 big5eten"),
        (.stateful("BIG5-HKSCS"), "big5hkscs"),
        (.stateless("EUC-TW"), "euctw"),
        (.stateless("CP932"), "shiftjis sjis mskanji windows31j ms932 sjiswin"),
        (.stateless("EUC-JP-MS"), "eucjp ujis eucjpms eucjpwin"),
        (.stateless("UHC"), "euckr ksc56011987 ksc56011989 ksc5601 korean isoir149 uhc"),
        (.stateless("JOHAB"), "johab"),
        (.stateless("MACINTOSH"), "macintosh mac macroman"),
        (.stateless("MAC-CYRILLIC"), "maccyrillic"),
        (.stateless("MAC-UK"), "macukrainian"),
        (.stateless("MAC-CENTRALEUROPE"), "macce maccentraleurope maccentraleurroman"),
        (.stateless("VISCII"), "viscii"),
        (.stateless("ARMSCII-8"), "armscii8"),
        (.stateful("ISO-2022-JP"), "iso2022jp"),
        (.stateful("ISO-2022-JP-2"), "iso2022jp1 iso2022jp2"),
        (.stateful("ISO-2022-KR"), "iso2022kr"),
        (.stateful("ISO-2022-CN"), "iso2022cn"),
        (.stateful("UTF-7"), "utf7 unicode11utf7"),
    ]
}
