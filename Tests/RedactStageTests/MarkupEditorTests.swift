// SPDX-License-Identifier: MIT

import Testing

@Suite struct MarkupEditorTests {
    @Test(arguments: [
        (
            "<user><name>anna</name><password>s3 <b>c</b> ret</password></user>",
            "<user><name>anna</name><password>[redacted]</password></user>"
        ),
        (
            "<ns:Password a='1'>s3cret</ns:Password>x",
            "<ns:Password a='1'>[redacted]</ns:Password>x"
        ),
        (
            "<textarea name=password>s3cret</textarea>x",
            "<textarea name=password>[redacted]</textarea>x"
        ),
        ("<string name='token'>s3cret</string>", "<string name='token'>[redacted]</string>"),
        ("<input name=password><p>shown</p>", "<input name=password><p>shown</p>"),
        ("<div id=token><p>shown</p></div>", "<div id=token><p>shown</p></div>"),
        (
            "<key>a</key><string>b</string><key> password </key>\n<string>s3cret</string><i>c</i>",
            "<key>a</key><string>b</string><key> password </key>\n<string>[redacted]</string><i>c</i>"
        ),
        (
            "<name>password</name><value><string>s3cret</string></value><i>c</i>",
            "<name>password</name><value>[redacted]</value><i>c</i>"
        ),
        ("<i data-api-key='s3cret' data-a=b>", "<i data-api-key='[redacted]' data-a=b>"),
        ("<token/><a>b</a>", "<token/><a>b</a>"),
        ("<token>s3cret<a>", "<token>[redacted]"),
        ("<user token=\"s3cret\" a=b/>", "<user token=\"[redacted]\" a=b/>"),
        ("<user token=s3cret>x</user>", "<user token=[redacted]>x</user>"),
        (
            "<input type=text name='password' value='s3cret'>",
            "<input type=text name='password' value='[redacted]'>"
        ),
        (
            "<meta content=\"s3cret\" name=\"csrf-token\">",
            "<meta content=\"[redacted]\" name=\"csrf-token\">"
        ),
        (
            "<add key=\"apiKey\" value=\"s3cret\" /><p>password: none</p>",
            "<add key=\"apiKey\" value=\"[redacted]\" /><p>password: none</p>"
        ),
        (
            "<a href='/x?token=s3cret&amp;a=1'>y</a>",
            "<a href='/x?token=[redacted]&amp;a=1'>y</a>"
        ),
        (
            "<script>if (a<b) { x = {\"token\": \"s3cret\", n: 1}; }</script><p>z</p>",
            "<script>if (a<b) { x = {\"token\": \"[redacted]\", n: 1}; }</script><p>z</p>"
        ),
        (
            "<script type='application/json'>{\"token\":[1,2],\"a\":3}</script>",
            "<script type='application/json'>{\"token\":\"[redacted]\",\"a\":3}</script>"
        ),
        (
            "<!-- token=s3cret --><![CDATA[password=\"s3cret\"]]><",
            "<!-- token=[redacted] --><![CDATA[password=\"[redacted]\"]]><"
        ),
    ])
    func namesCountInMarkup(text: String, expected: String) throws {
        #expect(try redactBody(text, "text/html") == expected)
        #expect(try redactBody(text, "application/soap+xml") == expected)
    }

    @Test(.timeLimit(.minutes(1))) func sectionsDoNotNest() throws {
        let text = "<a>" + String(repeating: "<![CDATA[", count: 1 << 15) + "</a>"
        #expect(try redactBody(text, "text/html") == text)
        let one = "<a><![CDATA[<![CDATA[<password>s3cret</password>]]></a>"
        #expect(
            try redactBody(one, "text/xml")
                == one.replacing("s3cret", with: "[redacted]")
        )
    }

    @Test func noBytesTrap() throws {
        let pieces = [
            "<", ">", "/", "=", "\"", "'", "password", "name", "value", "<token>", "</token>",
            "<script>", "</script", "<!--", "-->", "<![CDATA[", "]]>", " ", "\n", ":", "&amp;", "x",
        ]
        var random = Random(seed: 9)
        for _ in 0..<400 {
            let text = (0..<random.below(25)).map { _ in random.pick(pieces) }.joined()
            _ = try redactBody(text, "text/html", "action: \(random.pick(["mask", "remove"]))")
        }
    }
}
