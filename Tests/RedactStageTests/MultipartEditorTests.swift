// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RedactStage

@Suite struct MultipartEditorTests {
    private static let type = "multipart/form-data; boundary=\"xYz\""

    private func part(_ name: String, _ content: String, _ more: String = "") -> String {
        "--xYz\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)\r\n\r\n\(content)\r\n"
    }

    @Test func partsAreRedactedByTheirNames() throws {
        let body =
            part("user", "u") + part("password", "s3\r\ncret") + part("a", "b") + "--xYz--\r\n"
        let expected =
            part("user", "u") + part("password", "[redacted]") + part("a", "b") + "--xYz--\r\n"
        #expect(try redactBody(body, Self.type) == expected)
        let without = part("user", "u") + part("a", "b") + "--xYz--\r\n"
        #expect(try redactBody(body, Self.type, "action: remove") == without)
    }

    @Test func jsonInPartsIsRedacted() throws {
        let json = part("data", #"{"token":"s"}"#, "\r\nContent-Type: application/json")
        let expected = part(
            "data",
            #"{"token":"[redacted]"}"#,
            "\r\nContent-Type: application/json"
        )
        #expect(try redactBody(json + "--xYz--", Self.type) == expected + "--xYz--")
    }

    @Test(arguments: [
        ("s3cret", "[redacted]"), ("--xYz\r\nContent-Disp", "--xYz[redacted]"),
        ("s3cret\r\n--xYz--", "[redacted]--xYz--"), ("--xYz--\r\ns3cret", "--xYz--\r\n[redacted]"),
        (
            "--xYz\r\nContent-Disposition: form-data; name=password\r\n\r\ns3cr",
            "--xYz\r\nContent-Disposition: form-data; name=password\r\n\r\n[redacted]"
        ),
    ])
    func malformedBodiesAreMasked(body: String, expected: String) throws {
        #expect(try redactBody(body, Self.type) == expected)
    }

    @Test(
        arguments: [
            "", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded",
        ]
    )
    func multipartBodiesAreRecognizedByTheirBeginning(type: String) throws {
        let body = part("user", "u") + part("password", "s3cret") + "--xYz--\r\n"
        let expected = part("user", "u") + part("password", "[redacted]") + "--xYz--\r\n"
        #expect(try redactBody(body, type) == expected)
        #expect(
            try redactBody(body.replacing("\r\n", with: "\n"), type)
                == expected.replacing("\r\n", with: "\n")
        )
        let title = "-- \nContent of it\n"
        let text = "--xYz\r\nContents\r\n"
        #expect(try redactBody(title, type) == title)
        #expect(try redactBody(text, type) == text)
    }

    @Test func withoutABoundaryAllIsMasked() throws {
        #expect(try redactBody("s3cret", "multipart/form-data") == "[redacted]")
    }

    /// Returns the notation of a name in a head: each form, with and without others.
    private static func named(_ name: String, _ random: inout Random) -> String {
        let bytes = Array(name.utf8)
        let cut = 1 + random.below(bytes.count - 1)
        func text(_ part: ArraySlice<UInt8>) -> String { String(decoding: part, as: UTF8.self) }
        func coded(_ part: ArraySlice<UInt8>) -> String {
            part.map { "%" + EncodedSecretTests.hex($0) }.joined()
        }
        let (head, tail) = (bytes[..<cut], bytes[cut...])
        let gap = random.pick(["", " ", "\t"])
        return random.pick([
            "name\(gap)=\(gap)\(name)", "name=\"\(name)\"", "NAME = \"\(name)\"",
            "name=\"\(text(head))\\\(text(tail))\"", "name=\"\(coded(bytes[...]))\"",
            "name=\"\(text(head))\(coded(tail))\"", "name='\(name)'",
            "name*=UTF-8''\(coded(head))\(text(tail))", "name*=us-ascii'en'\(name)",
            "name*0=\"\(text(head))\"; name*1=\"\(text(tail))\"",
            "name*1=\(text(tail)); name*0=\(text(head))",
            "name*0*=utf-8''\(coded(head)); name*1*=\(coded(tail))",
            "name=user; name=\"\(name)\"", "name=\"\(name)\"; name=user",
            "name=\"\(name)", "name=\"\(name)\"x", "name=\(name)\"",
            "name=\"=?utf-8?Q?\(name)?=\"", "name*=utf-16''\(name)",
            "name*0=\(text(head)); name*2=\(text(tail))", "(x) name=\"\(name)\"",
            "filename=\"x\\\"; name=\(name); y=\"",
        ])
    }

    @Test(arguments: 0..<200)
    func aHeadIsReadAsAnyReaderWould(seed: Int) throws {
        var random = Random(seed: UInt64(seed) + 4000)
        let name = random.pick(["password", "api_key", "token", "user[password]"])
        let fold = random.pick(["", "", "\r\n ", "\r\n\t", " \r\n   "])
        let colon = random.pick([":", " :", "\t: ", ":\r\n "])
        let field = random.pick(["Content-Disposition", "content-disposition"])
        var lines = [
            "\(field)\(colon)form-data;\(fold) \(Self.named(name, &random))"
                + random.pick(["", "; filename=\"a.txt\"", ";", ";\(fold) x=y"])
        ]
        if random.below(3) == 0 { lines.append("Content-Type: text/plain") }
        if random.below(3) == 0 { lines.insert("X-Note: a", at: 0) }
        if random.below(6) == 0 { lines.append("Content-Disposition: form-data; name=\"a\"") }
        if random.below(8) == 0 { lines.append("no field") }
        let ends = random.pick(["\r\n", "\r\n", "\r\n", "\n"])
        let head = "\r\n" + lines.joined(separator: "\r\n") + ends + "\r\n"
        let secret = "\(head)pl4nted\r\npl4nted\r\n"
        let before = part("user", "anna")
        let after = part("city", "Bern") + "--xYz--\r\n"
        let result = try redactBody(before + "--xYz" + secret + after, Self.type)
        #expect(!result.contains("pl4nted"), "\(head)")
        #expect(result.hasPrefix(before + "--xYz\r\n") && result.hasSuffix("\r\n" + after))
    }

    @Test(arguments: [
        "--xYz\nContent-Disposition: form-data; name=\"a\"\n\npl4nted\r\n",
        "--xYzA\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\npl4nted\r\n",
        "--xYz\r\n\tContent-Disposition: form-data; name=\"a\"\r\n\r\npl4nted\r\n",
        "--xYz\r\nContent-Disposition: form-data; name=\"a\"\n\npl4nted\r\n\r\nx\r\n",
        "--xYz\r\nX-Api-Key:\r\n pl4nted\r\n\r\nx\r\n",
    ])
    func partsInDoubtAreMaskedAlone(doubtful: String) throws {
        let (before, after) = (part("user", "u"), part("a", "b") + "--xYz--\r\n")
        let result = try redactBody(before + doubtful + after, Self.type)
        #expect(!result.contains("pl4nted"))
        #expect(result.hasPrefix(before) && result.hasSuffix(after))
    }

    /// A line end that only some readers recognize does not end a secret.
    @Test(arguments: ["\n", "\r"])
    func delimitersAfterLoneLineEndsDoNotEndASecret(lineEnd: String) throws {
        let inner =
            "s3cret\(lineEnd)--xYz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\npl4nted"
        let result = try redactBody(part("password", inner) + "--xYz--\r\n", Self.type)
        #expect(!result.contains("pl4nted") && !result.contains("s3cret"))
    }

    @Test(arguments: [
        "form-data; name=\"file\"; filename=\"C:\\photos\\a.jpg\"",
        "form-data; name=\"a\\\"b\"; filename=\"x;y=z.txt\"", "form-data;\r\n name=\"a\"",
        "form-data; name=caf\u{E9}; filename*=UTF-8''na%20me.txt; filename=\"na me.txt\"",
        "attachment; filename=\"a.txt\"", "inline",
    ])
    func ordinaryHeadsKeepTheirParts(disposition: String) throws {
        let body =
            "\r\n--xYz \r\nContent-Disposition: \(disposition)\r\nContent-Type: text/plain\r\n\r\n"
            + "some text\r\n--xYz-- \r\n"
        #expect(try redactBody(body, Self.type) == body)
    }

    @Test(arguments: [
        "; boundary=xYz; boundary=other", "; boundary=\"xYz", "; boundary*=utf-8''xYz; boundary=a",
    ])
    func twoBoundariesAreAmbiguous(parameters: String) throws {
        let body = part("user", "u") + "--xYz--\r\n"
        #expect(try redactBody(body, "multipart/form-data\(parameters)") == "[redacted]")
    }

    @Test func aBoundaryMayBeContinued() throws {
        let body = part("password", "pl4nted") + part("a", "b") + "--xYz--\r\n"
        let type = "multipart/form-data; boundary*1=Yz; boundary*0=x"
        #expect(try redactBody(body, type) == body.replacing("pl4nted", with: "[redacted]"))
    }
}
