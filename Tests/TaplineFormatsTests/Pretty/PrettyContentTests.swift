// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineFormats

@Suite("Content, laid out")
struct PrettyContentTests {
    @Test(
        "as a form has one item per line",
        arguments: [
            ("a=1&b=x+y%20z&c=%C3%A9", "a = 1\nb = x y z\nc = é\n"),
            ("a&b=&=c&&a=2", "a\nb = \n = c\n(empty)\na = 2\n"),
            ("a=%0A%1b%ff%&b=1=2\r\n", "a = \\n\\x1b\\xff%\nb = 1=2\n"),
        ]
    )
    func form(text: String, expected: String) {
        #expect(pretty(text, "application/x-www-form-urlencoded") == expected)
    }

    @Test("as multipart shows each part by its kind")
    func multipart() {
        let text = """
            first\r
            --b\r
            Content-Disposition: form-data; name="user"\r
            \r
            Ann\r
            --b\r
            Content-Disposition: form-data; name="data"\r
            Content-Type: application/json\r
            \r
            {"a":1}\r
            --b\r
            Content-Type: multipart/mixed; boundary=c\r
            \r
            --c\r
            \r
            a=1\r
            --c\r
            Content-Type: application/x-www-form-urlencoded\r
            \r
            b=%31\r
            --c--\r
            --b--\r
            last
            """
        let expected = """
            (text before the first part)
            first
            part 1
              Content-Disposition: form-data; name="user"
              Ann
            part 2
              Content-Disposition: form-data; name="data"
              Content-Type: application/json
              {
                "a": 1
              }
            part 3
              Content-Type: multipart/mixed; boundary=c
              part 1
                a=1
              part 2
                Content-Type: application/x-www-form-urlencoded
                b = 1
            (text after the last part)

            last

            """
        #expect(pretty(text, "multipart/form-data; boundary=b") == expected)
    }

    @Test("as multipart says what is missing")
    func damagedMultipart() {
        let open = pretty("--b\r\n\r\nabc", "multipart/mixed; boundary=b")
        #expect(open == "part 1\n  abc\n  (no delimiter ends this part)\n")
        let head = pretty("--b\r\nA: b", "multipart/mixed; boundary=b")
        #expect(head.hasPrefix("part 1\n  (the head of this part does not end)\n"))
        #expect(head.contains("A: b"))
        #expect(pretty("--b\r\n", "multipart/mixed") == "--b\n")
        var deep = "x"
        for _ in 0..<6 {
            deep = "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\(deep)"
        }
        #expect(pretty(deep, "multipart/mixed; boundary=b").contains("x\n"))
    }

    @Test("as GraphQL shows query and variables")
    func graphQL() {
        let json =
            #"{"operationName":"Q","query":"query Q($id: ID!, $n: [Int!] = [1, 2]) { a: cart("#
            + #"id: $id, o: {x: 1}) @include(if: $b) { id ...F items(first: 2) { name } total }"#
            + #" ... on T @c { e } } fragment F on Cart { x y }","variables":{"id":7}}"#
        let expected = """
            operationName
              "Q"
            query
              query Q($id: ID!, $n: [Int!] = [1, 2]) {
                a: cart(id: $id, o: {x: 1}) @include(if: $b) {
                  id
                  ...F
                  items(first: 2) {
                    name
                  }
                  total
                }
                ... on T @c {
                  e
                }
              }
              fragment F on Cart {
                x
                y
              }
            variables
              {
                "id": 7
              }

            """
        #expect(pretty(json, "application/json") == expected)
        let batch = pretty(#"[{"query":"{a}"},{"query":"{b}","variables":null}]"#)
        #expect(
            batch == """
                request 1
                  query
                    {
                      a
                    }
                request 2
                  query
                    {
                      b
                    }
                  variables
                    null

                """
        )
    }

    @Test("as GraphQL keeps lines, texts and comments")
    func graphQLTexts() {
        #expect(pretty("{ a,\n  b }", "application/graphql") == "{ a,\n  b }\n")
        let block = #"{ a(t: """x " y""", u: "v \" }") b }"#
        #expect(
            pretty(block, "application/graphql")
                == "{\n  a(t: \"\"\"x \" y\"\"\", u: \"v \\\" }\")\n  b\n}\n"
        )
        #expect(pretty("{ a # } b", "application/graphql") == "{\n  a # } b\n")
        // Another format with a member of that name.
        #expect(pretty(#"{"query":"shoes"}"#) == "{\n  \"query\": \"shoes\"\n}\n")
        #expect(pretty(#"{"query":"{a}","x":1}"#).hasPrefix("{\n  \"query\": \"{a}\",\n"))
        #expect(pretty(#"{"query":"queryable"}"#).hasPrefix("{\n"))
    }

    @Test(
        "as an image has kind and size",
        arguments: [
            (
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44]
                    + [0x52, 0, 0, 2, 128, 0, 0, 1, 224, 8],
                "PNG image, 640 × 480 pixels, 25 B\n"
            ),
            (
                Array("GIF89a".utf8) + [16, 0, 1, 2, 0], "GIF image, 16 × 513 pixels, 11 B\n"
            ),
            (
                [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC4, 0, 2, 0xFF, 0xC2, 0, 11, 8]
                    + [1, 0, 2, 0, 3],
                "JPEG image, 512 × 256 pixels, 23 B\n"
            ),
            (
                Array("RIFF1234WEBPVP8X".utf8) + Array(repeating: 0, count: 8)
                    + [0x7F, 2, 0, 0xDF, 1, 0],
                "WebP image, 640 × 480 pixels, 30 B\n"
            ),
            (
                Array("RIFF1234WEBPVP8L1234".utf8) + [0x2F, 0x7F, 0xC2, 0x77, 0],
                "WebP image, 640 × 480 pixels, 25 B\n"
            ),
            (
                Array("RIFF1234WEBPVP8 1234".utf8) + [0, 0, 0, 0x9D, 1, 0x2A, 0x80, 2, 0xE0, 1],
                "WebP image, 640 × 480 pixels, 30 B\n"
            ),
            ([0xFF, 0xD8, 0xFF], "JPEG image, size in pixels unknown, 3 B\n"),
            ([0xFF, 0xD8, 0xFF, 0xC0, 0, 9], "JPEG image, size in pixels unknown, 6 B\n"),
            (
                [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF, 0xE0, 0xFF, 0xFF],
                "JPEG image, size in pixels unknown, 10 B\n"
            ),
        ] as [([UInt8], String)]
    )
    func image(bytes: [UInt8], expected: String) {
        #expect(pretty(bytes, "image/png") == expected)
        #expect(pretty(bytes, "text/html") == expected)
    }

    @Test("of an image type that is not an image is shown in hexadecimal")
    func noImage() {
        #expect(
            pretty("not an image at all", "image/png") == """
                00000000  6e 6f 74 20 61 6e 20 69  6d 61 67 65 20 61 74 20  |not an image at |
                00000010  61 6c 6c                                          |all|

                """
        )
        #expect(pretty("<svg><g/></svg>", "image/svg+xml") == "<svg>\n  <g/>\n</svg>\n")
    }

    @Test("as protobuf is shown by field numbers, with everything that a value may mean")
    func protobuf() {
        // `1: "Ann", 2: 150`.
        let message: [UInt8] = [0x0A, 3, 0x41, 0x6E, 0x6E, 0x10, 0x96, 0x01]
        let shown = pretty(message, "application/x-protobuf")
        #expect(shown.contains(#""text": "Ann""#) && shown.contains(#""uint": 150"#))
        let cut = pretty(Array(message.dropLast()), "application/protobuf", isWhole: false)
        #expect(cut.contains("Ann") && cut.contains("truncated"))
        #expect(pretty("[redacted]", "application/protobuf") == "[redacted]\n")
        let framed = [0, 0, 0, 0, 8] + message
        let calls = pretty(framed + framed, "application/grpc")
        #expect(calls.contains("message 1 8 B") && calls.contains("message 2 8 B"))
        #expect(calls.split(separator: "Ann").count == 3)
        #expect(pretty(framed + [7], "application/grpc").contains("not gRPC from here"))
        #expect(pretty("[redacted]", "application/grpc").contains("[redacted]"))
    }

    @Test("in binary form is shown in hexadecimal, with offsets", arguments: [0, 1, 16, 17, 4096])
    func hexadecimal(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let lines = pretty(bytes, "application/x-protobuf").split(separator: "\n")
        #expect(lines.count == (count + 15) / 16)
        var read: [UInt8] = []
        for (number, line) in lines.enumerated() {
            let words = line.prefix { $0 != "|" }.split(separator: " ")
            #expect(Int(words[0], radix: 16) == number * 16)
            read += words.dropFirst().compactMap { UInt8($0, radix: 16) }
        }
        #expect(read == bytes)
        #expect(pretty(bytes).hasPrefix(count > 0 ? "00000000  00" : ""))
    }

    @Test("as an event stream is a list of events")
    func events() {
        let text = """
            : hello
            retry: 10

            event: delta
            id: 7
            data: {"a":1}

            data: two
            data:  lines
            data
            other

            data: op
            """
        let expected = """
            event 1
              : hello
              retry: 10
            event 2
              event: delta
              id: 7
              {
                "a": 1
              }
            event 3
              other
              two
               lines
            event 4
              op
            (the last event is not complete)

            """
        #expect(pretty(text, "text/event-stream") == expected.replacing("\n\n(", with: "\n("))
        let returns = text.replacing("\n", with: "\r\n")
        #expect(pretty(returns, "text/event-stream") == expected)
        #expect(pretty("data: a", "text/event-stream", isWhole: false).contains("(cut off here)"))
    }

    @Test("as text has visible controls, and tabs as spaces")
    func text() {
        #expect(pretty("a\tb\r\n\u{1B}[0m\rc\n\nd") == "a    b\n\\x1b[0m\\rc\n\nd\n")
        let latin1 = [0x67, 0x72, 0xFC, 0x6E] + Array("0123456789".utf8)
        #expect(pretty(latin1) == "gr\\xfcn0123456789\n")
        #expect(pretty("") == "")
    }
}
