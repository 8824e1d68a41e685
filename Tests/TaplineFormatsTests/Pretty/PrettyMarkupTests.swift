// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineFormats

@Suite("Markup, laid out")
struct PrettyMarkupTests {
    @Test(
        "as XML has one tag per line",
        arguments: [
            (
                #"<?xml version="1.0"?><a x="1>2"><b>t</b><c/><!-- n --><d></d> e <f>g<h/></f></a>"#,
                """
                <?xml version="1.0"?>
                <a x="1>2">
                  <b>t</b>
                  <c/>
                  <!-- n -->
                  <d></d>
                  e
                  <f>
                    g
                    <h/>
                  </f>
                </a>

                """
            ),
            ("<a><![CDATA[<b>]]></a>", "<a>\n  <![CDATA[<b>]]>\n</a>\n"),
            ("<a\n  b='1'\n  c='2'>\n\n  x\n  y\n</a>", "<a\n  b='1'\n  c='2'>\n  x\n  y\n</a>\n"),
            ("<a>1 < 2 & <b>3</b></a>", "<a>\n  1 < 2 &\n  <b>3</b>\n</a>\n"),
            // An end tag that ends nothing does not change the indentation.
            ("<a></b><c></c></a>", "<a>\n  </b>\n  <c></c>\n</a>\n"),
            ("<A><a>x</a></A>", "<A>\n  <a>x</a>\n</A>\n"),
        ]
    )
    func xml(text: String, expected: String) {
        #expect(pretty(text, "application/xml") == expected)
        #expect(pretty(text, "application/soap+xml; charset=utf-8") == expected)
    }

    @Test(
        "as HTML knows elements without end tags, and scripts",
        arguments: [
            (
                "<!DOCTYPE html><html><body><p>a<br>b<p>c</body></html>",
                """
                <!DOCTYPE html>
                <html>
                  <body>
                    <p>
                      a
                      <br>
                      b
                      <p>
                        c
                  </body>
                </html>

                """
            ),
            (
                "<script>\n  if (a < b) {\n    c(\"</b>\")\n  }\n</script><P>x</p>",
                "<script>\n    if (a < b) {\n      c(\"</b>\")\n    }\n</script>\n<P>x</p>\n"
            ),
            ("<pre>\n a\n  b</pre>", "<pre>\n   a\n    b\n</pre>\n"),
            ("<style></style><script></SCRIPT>", "<style>\n</style>\n<script>\n</SCRIPT>\n"),
        ]
    )
    func html(text: String, expected: String) {
        #expect(pretty(text, "text/html") == expected)
    }

    @Test("is recognized without a type")
    func untyped() {
        #expect(pretty("<?xml version='1.0'?><a/>").contains("?>\n<a/>"))
        #expect(pretty("\n<html><br></html>", "text/plain") == "<html>\n  <br>\n</html>\n")
        #expect(pretty("<html5>", "text/plain") == "<html5>\n")
        #expect(pretty("<me> hello", "text/plain") == "<me> hello\n")
    }

    @Test(
        "loses no text, however damaged it is",
        arguments: [
            "<", "<<<a", "<a", "<a b=\"", "<a b=\">c</a>", "<!--", "<!-- a", "<![CDATA[ b",
            "</", "</>", "<>", "<a><b", "<?", "<!", "a<", "<script>x", "<script", "</script>",
            "<a 'b>c<d 'e>f", "<!--><a>b", "<a/ >", "<a / b>", "</a b>", "<é>x</é>", "<_/>",
        ]
    )
    func damaged(text: String) {
        for type in ["text/xml", "text/html"] {
            let shown = pretty(text, type)
            #expect(Self.ink(shown) == Self.ink(text), "\(type): \(shown)")
        }
    }

    @Test("loses no text of random pieces")
    func random() {
        let pieces = [
            "<a>", "</a>", "<b c='d'>", "</b>", "<", ">", "\"", "'", "<!--", "-->", "<![CDATA[",
            "]]>", "text", "&amp;", "<br>", "<br/>", "<script>", "</script>", "<?x", "?>", "=", "/",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var text = ""
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                text += pieces.randomElement(using: &generator) ?? ""
            }
            for type in ["text/xml", "text/html"] {
                let shown = pretty(text, type)
                #expect(Self.ink(shown) == Self.ink(text), "\(type): \(text)")
            }
        }
    }

    /// All characters that are no white space.
    private static func ink(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
