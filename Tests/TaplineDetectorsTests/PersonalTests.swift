// SPDX-License-Identifier: MIT

import TaplinePlugin
import Testing

@Suite("E-mail addresses")
struct EmailAddressTests {
    @Test(
        "are found with exact boundaries",
        arguments: [
            "jane@shop.test", "jane.doe+tag@mail.shop.co.uk", "j@x-y.io", "JANE_DOE@SHOP.TEST",
            "1@2.de", "jane@münchen.de", "jane@shop.xn--p1ai", "jane@myexample.com",
            "jane@example.com.de", "h-0123@shop.test",
        ]
    )
    func found(address: String) throws {
        let scan = try Scan(["email"])
        for (before, after) in [
            ("", ""), ("mail ", "."), ("<", ">"), ("\"", "\""), ("?to=", "&x"), ("\\n", "\\n"),
            ("%20", "%20"), ("\\u003c", "\\u003e"), ("(", ")"), (".", ", "), ("mailto:", "?"),
            ("\0", "\0"), ("-", " -"), ("\\\"", "\\\""), ("“", "”"), ("«", "»"), ("—", "…"),
            ("\u{A0}", "\u{A0}"), ("（", "）"), ("邮箱：", "。"), ("「", "」"), ("\u{200B}", "\u{200B}"),
        ] {
            #expect(scan.texts(before + address + after) == [address], "\(before)…\(after)")
        }
        #expect(scan.texts("\(address),\(address)") == [address, address])
    }

    @Test("end before letters of another script and before bytes that are not text")
    func letterAfter() throws {
        let scan = try Scan(["email"])
        #expect(scan.texts("写信给jane@shop.test请") == ["jane@shop.test"])
        let latin = scan.ranges(Array("jane@shop.test".utf8) + [0xBB])
        #expect(latin.map { $0.start..<$0.end } == [0..<14])
    }

    @Test(
        "are not reported for file names, names in programs and partial addresses",
        arguments: [
            "logo@2x.png", "icon@3x.min.js", "react@18.2.0", "@media", "jane@", "@shop.test",
            "jane@shop", "jane@.test", "jane@shop.", "a.@shop.test", "git@github.com:x/y",
            "jane@shop.t", "a@b.c_d", "@types/node", "jane@-shop.test", "jane@shop-.test",
            "a@1.2.3.4", "x@y@z", "jane@example.com", "jane@Mail.Example.ORG", "a@b.example.net",
            "https://h-0123456789abcdef0123456789abcdef@shop.test/",
            "https://0123456789abcdef0123456789abcdef@errors.shop.test/4",
            "joe@yourcompany.com", "you@mail.Your-Domain.com",
        ]
    )
    func notFound(text: String) throws {
        #expect(try Scan(["email"]).texts(text).isEmpty)
    }

    @Test("are not found if the domain is not text")
    func notFoundInData() throws {
        let scan = try Scan(["email"])
        let bytes = Array("mFY@".utf8) + [0x83] + Array(".Sd".utf8) + [0x0C]
        #expect(scan.ranges(bytes).isEmpty)
        #expect(scan.texts("mFY@é.Sd\u{0C}") == ["mFY@é.Sd"])
    }
}

@Suite("Phone numbers")
struct PhoneNumberTests {
    @Test(
        "are found with a country code or in American groups",
        arguments: [
            "+49 30 1234567", "+4930123456", "+1 (212) 555-0100", "+44/20/7946-0018",
            "(212) 555-0100", "212-555-0100", "212.555.0100", "212 555 0100", "(212)555-0100",
        ]
    )
    func found(number: String) throws {
        let scan = try Scan(["phone_number"])
        #expect(scan.texts(number) == [number])
        #expect(scan.texts("{\"tel\":\"\(number)\"}") == [number])
        #expect(scan.texts("call \(number).") == [number])
    }

    @Test(
        "are not reported for other numbers",
        arguments: [
            "2125550100", "2026-11-20", "+1", "+0 30 1234567", "1.212.555.01", "012-555-0100",
            "212-555-01000", "x212-555-0100", "+123456789012345678", "1+2", "212-555.0100",
            "3.212-555-0100",
        ]
    )
    func notFound(text: String) throws {
        #expect(try Scan(["phone_number"]).texts(text).isEmpty)
    }

    @Test("and IP addresses are found only if selected")
    func onRequest() throws {
        let text = "+49 30 1234567, 192.0.2.1 2001:db8::1"
        #expect(try Scan().texts(text).isEmpty)
        #expect(try Scan(["personal"]).texts(text).count == 3)
    }
}

@Suite("IP addresses")
struct NetworkAddressTests {
    @Test(
        "are found as a whole",
        arguments: [
            "192.0.2.1", "0.0.0.0", "255.255.255.255", "2001:db8::1", "::1", "fe80::1:2",
            "2001:db8:0:1:2:3:4:5", "::ffff:192.0.2.1", "2001:DB8::",
        ]
    )
    func found(address: String) throws {
        let scan = try Scan(["ip_address"])
        for (before, after) in [("", ""), ("\"", "\""), ("[", "]:80"), (" ", ", x"), ("=", ".")] {
            #expect(scan.texts(before + address + after) == [address], "\(before)…\(after)")
        }
    }

    @Test(
        "are not reported for versions, times and names",
        arguments: [
            "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "v1.2.3.4", "12:34:56", "a::before",
            "std::string", "::", "1:2:3:4:5:6:7", "1::2::3", "{\"a\":1,\"b\":2}", "12345::1",
            "2001:db8::1g",
        ]
    )
    func notFound(text: String) throws {
        #expect(try Scan(["ip_address"]).texts(text).isEmpty)
    }
}
