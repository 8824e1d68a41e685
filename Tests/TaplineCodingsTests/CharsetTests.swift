// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCodings

@Suite struct CharsetTests {
    @Test(arguments: [
        ("utf-8", Charset.utf8), ("UTF8", .utf8), (" 'utf-8' ", .utf8), ("us-ascii", .utf8),
        ("utf-8,gzip", .utf8), ("ANSI_X3.4-1968", .utf8), ("cp65001", .utf8),
        ("utf-16", .utf16), ("UTF-16LE", .utf16), ("ucs-2", .utf16), ("utf-32be", .utf32),
        ("iso-8859-1", .stateless("ISO-8859-1")), ("ISO_8859-15:1998", .stateless("ISO-8859-15")),
        ("latin1", .stateless("ISO-8859-1")), ("latin9", .stateless("ISO-8859-15")),
        ("l2", .stateless("ISO-8859-2")), ("csISOLatin5", .stateless("ISO-8859-9")),
        ("iso-8859-8-i", .stateless("ISO-8859-8")), ("windows-1251", .stateless("CP1251")),
        ("x-cp1252", .stateless("CP1252")), ("koi8-r", .stateless("KOI8-R")),
        ("KOI8-U", .stateless("KOI8-U")), ("gb2312", .stateless("GB18030")),
        ("x-gbk", .stateless("GB18030")), ("Big5", .stateless("BIG5")),
        ("Shift_JIS", .stateless("CP932")), ("x-sjis", .stateless("CP932")),
        ("EUC-JP", .stateless("EUC-JP-MS")), ("x-euc-jp", .stateless("EUC-JP-MS")),
        ("ks_c_5601-1987", .stateless("UHC")), ("euc-tw", .stateless("EUC-TW")),
        ("tis-620", .stateless("CP874")), ("x-mac-cyrillic", .stateless("MAC-CYRILLIC")),
        ("ibm037", .stateless("IBM037")), ("cp037", .stateless("IBM037")),
        ("IBM1047", .stateless("IBM1047")), ("ebcdic-cp-500", .stateless("IBM500")),
        ("iso-2022-jp", .stateful("ISO-2022-JP")), ("UTF-7", .stateful("UTF-7")),
        ("ibm930", .stateful("IBM930")), ("windows-1258", .stateful("CP1258")),
        ("hz-gb-2312", .unknown), ("x-rot13", .unknown), ("iso-8859-12", .unknown),
        ("iso-8859-99999999999999999999", .unknown), ("cp-1", .unknown),
        ("ISO-2022-CN-EXT", .unknown), ("windows-9", .unknown),
    ])
    func namesAreRecognised(label: String, charset: Charset) {
        #expect(Charset(label: label.utf8.span) == charset)
    }

    @Test(arguments: ["", " ", "''", "none", "undefined", "{{charset}}", "%s", "binary", "é"])
    func otherWordsAreRejected(label: String) {
        #expect(Charset(label: label.utf8.span) == nil)
    }

    /// glibc ships all of these; `redact` masks text in any charset that is missing as unknown.
    @Test func iconvSupportsTheKnownCharsets() {
        for label in [
            "iso-8859-1", "iso-8859-16", "windows-1250", "windows-1257", "windows-1258", "tis-620",
            "koi8-r", "koi8-u", "koi8-t", "gbk", "big5", "big5-hkscs", "euc-tw", "shift_jis",
            "euc-jp", "euc-kr", "johab", "macintosh", "x-mac-cyrillic", "x-mac-ukrainian",
            "x-mac-ce", "viscii", "armscii-8", "iso-2022-jp", "iso-2022-jp-2", "iso-2022-kr",
            "iso-2022-cn", "utf-7", "ibm037", "ibm500", "ibm1047", "ibm437", "ibm930",
        ] {
            let charset = Charset(label: label.utf8.span)
            #expect(charset.flatMap(CharsetConverter.init) != nil, "\(label)")
        }
        #expect(CharsetConverter(.stateless("IBM9999")) == nil)
        #expect(CharsetConverter(.utf8) == nil && CharsetConverter(.unknown) == nil)
    }
}
