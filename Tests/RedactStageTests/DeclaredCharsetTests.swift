// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

@Suite struct DeclaredCharsetTests {
    private func label(_ type: String, _ body: String) -> String? {
        let label = DeclaredCharset.label(of: body.utf8.span, ContentLabel(type: type.utf8.span))
        return label.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("text/html; charset=gbk", "<meta charset=big5>", "gbk"),
        ("text/plain; charset=\"koi8-r\"", "", "koi8-r"),
        ("application/json;charset=ibm037", "", "ibm037"),
        ("text/html", "<!doctype html><html><head><META Charset = 'gbk' /></head>", "gbk"),
        ("", "\n <html><meta charset=gbk/><title>", "gbk"),
        ("text/html", "<meta http-equiv=x content=\"text/html; charset=euc-jp\">", "euc-jp"),
        ("text/xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>", "ISO-8859-1"),
        ("application/octet-stream", "<?xml version='1.0' encoding = 'koi8-u' ?>", "koi8-u"),
    ])
    func namesAreFound(type: String, body: String, name: String) {
        #expect(label(type, body) == name)
    }

    @Test(arguments: [
        ("text/html; charset=UTF-8", "<meta charset=gbk>"), ("text/html", "<metadata charset"),
        ("text/html", "<p>charset=gbk</p>"),
        ("text/plain", "charset=gbk"), ("application/json", "<meta charset=gbk>"),
        ("image/png", "<meta charset=gbk>"), ("text/xml", "<?xml version='1.0'?>"),
        ("text/html", "<" + String(repeating: " ", count: 2000) + "<meta charset=gbk>"),
        ("", ""), ("", "<"), ("text/html", "<meta charset"), ("text/html", "<meta charset >"),
    ])
    func otherTextDeclaresNoCharset(type: String, body: String) {
        #expect(label(type, body) == nil)
    }

    @Test(arguments: [
        (" <p", true), ("<!doctype", true), ("<?xml", true), ("{\"a\"", true), ("<\0", false),
        ("{\0", false), ("< ", false), ("Lo", false), ("", false), ("<", false),
    ])
    func asciiMarkupIsRecognized(body: String, isPlain: Bool) {
        #expect(DeclaredCharset.isPlainMarkup(body.utf8.span) == isPlain)
    }
}
