// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineExport

@Suite("Commands")
struct CommandWriterTests {
    @Test("have comments that no shell runs as commands")
    func comments() {
        let request = Exchange.shop("GET", "/;reboot&$(id)'`x`!!|y")
        let lines = Exported(.curl, [request]).text.split(separator: "\n")
        let comment = lines.first { $0.hasPrefix("#") } ?? ""
        #expect(comment.contains("reboot"))
        #expect(!comment.contains { ";&$()'`!|<>*\\\"".contains($0) }, "\(comment)")
    }

    @Test("of curl are one option a line")
    func curl() {
        let fields: FieldSection = [
            "Host": "shop.test", "User-Agent": "a", "Accept": "*/*", "Content-Type": "text/plain",
            "X-Empty": "",
        ]
        let exported = Exported(.curl, [.shop("PUT", "/a", fields, body: "@it's 100%\n")])
        #expect(
            exported.text == """
                # 1: PUT https://shop.test/a
                curl \\
                  --request PUT \\
                  --header 'User-Agent: a' \\
                  --header 'Accept: */*' \\
                  --header 'Content-Type: text/plain' \\
                  --header 'X-Empty;' \\
                  --data-raw '@it'\\''s 100%
                ' \\
                  'https://shop.test/a'

                """
        )
        #expect(exported.losses.isEmpty)
    }

    @Test("of curl for PowerShell write bytes to a file")
    func powershell() {
        var exchange = Exchange.shop("POST", "/a")
        exchange.request.body = Body([0, 0xFF])
        let text = Exported(CurlWriter(shell: .powershell), [exchange]).text
        #expect(
            text.contains("WriteAllBytes($body, [Convert]::FromBase64String('AP8=')); curl `\n")
        )
        #expect(text.contains("  --data-binary \"@$body\" `\n"))
    }

    @Test(
        "of curl send unusual targets unchanged",
        arguments: [
            ("/a/../b", "--request-target /a/../b"), ("/a|b", "--request-target '/a|b'"),
            ("*", "--request-target '*'"), ("/x[1]", "--globoff"),
        ]
    )
    func targets(target: String, option: String) {
        let exported = Exported(.curl, [.shop("OPTIONS", ByteString(target))])
        #expect(exported.text.contains(" \(option) "), "\(exported.text)")
        #expect(exported.losses.isEmpty)
    }

    @Test("of curl leave out what curl would send by itself only if it was recorded")
    func ownFields() {
        let text = Exported(.curl, [.shop("POST", "/a")]).text
        for name in ["User-Agent", "Accept", "Content-Type"] {
            #expect(text.contains("--header '\(name):'"))
        }
        #expect(text.contains("--data-raw ''"))
        let head = Exported(.curl, [.shop("HEAD", "/a")]).text
        #expect(head.contains("curl \\\n  --head \\\n"))
    }

    @Test("of HTTPie keep values that look like other items")
    func httpie() {
        let fields: FieldSection = ["X-A": "=1", "X-B": "@f", "X-C": "", "X-D": "a\\:b"]
        let exported = Exported(.httpie, [.shop("GET", "/a", fields)])
        #expect(exported.text.contains("'X-A: =1'"))
        #expect(exported.text.contains("'X-B: @f'"))
        #expect(exported.text.contains("'X-C;'"))
        #expect(exported.losses == ["request.headers (backslash)"])
        #expect(Exported(.httpie, [.shop("M-SEARCH")]).losses == ["request (method)"])
    }

    @Test("of Wget write bytes to a file, and report what Wget changes")
    func wget() {
        var exchange = Exchange.shop("post", "/a")
        exchange.request.body = Body([0])
        let exported = Exported(.wget, [exchange])
        #expect(exported.text.contains("body=$(mktemp) && printf '\\000' > \"$body\" &&\nwget "))
        #expect(exported.text.hasSuffix("\nrm -f \"$body\"\n"))
        #expect(exported.losses == ["request.method", "request.headers (added type)"])
        var head = Exchange.shop("HEAD", "/a")
        #expect(Exported(.wget, [head]).text.contains("--spider"))
        head.request.body = Body([1])
        #expect(Exported(.wget, [head]).losses == ["request (HEAD with a body)"])
    }

    @Test("tell that the end of a body is missing")
    func cut() {
        var exchange = Exchange.shop("POST", "/a", body: "{\"a\":")
        exchange.request.body.isTruncated = true
        let exported = Exported(.curl, [exchange])
        #expect(
            exported.text.hasPrefix("# 1: POST https://shop.test/a, the end of the body was not")
        )
        #expect(exported.losses == ["request.body.truncated"])
    }
}

@Suite("Programs")
struct ProgramWriterTests {
    @Test("in JavaScript leave out what fetch refuses")
    func fetch() {
        let get = Exported(.javascript, [.shop("GET", "/a", ["Expect": "100-continue"], body: "x")])
        #expect(get.losses == ["request.body (GET)", "request.headers (expect)"])
        #expect(!get.text.contains("Expect"))
        #expect(Exported(.javascript, [.shop("TRACE")]).losses == ["request (method)"])
        #expect(Exported(.javascript, [.shop("put")]).losses == ["request.method"])
    }

    @Test("in Python have bytes where text would be coded")
    func python() {
        let exported = Exported(.python, [.shop("GET", "/a", ["X-Ü": "", "X": "ü"])])
        #expect(exported.text.contains("\"X\": b\"\\xc3\\xbc\","))
        #expect(exported.losses == ["request.headers (malformed)"])
    }

    @Test("in Swift have no interpolations")
    func swift() {
        let exported = Exported(
            .swift,
            [.shop("POST", "/a", ["X": "\\(x)"], body: "\\(exit(0))\"")]
        )
        #expect(exported.text.contains("(\"X\", \"\\\\(x)\"),"))
        #expect(exported.text.contains("], Data(\"\\\\(exit(0))\\\"\".utf8))\n}"))
    }

    @Test("for k6 name requests by their route")
    func k6() {
        let exported = Exported(.k6, [.shop("GET", "/users/17?x=1")])
        #expect(exported.text.contains("\"GET /users/{id}\",\n    200,"))
        var exchange = Exchange.shop("POST", "/a")
        exchange.request.body = Body([0xFF])
        #expect(Exported(.k6, [exchange]).text.contains("encoding.b64decode(\"/w==\"),"))
    }
}
