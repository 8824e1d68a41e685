// SPDX-License-Identifier: MIT

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
    func whatIsNotUnderstoodIsMasked(body: String, expected: String) throws {
        #expect(try redactBody(body, Self.type) == expected)
    }

    @Test(
        arguments: [
            "", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded",
        ]
    )
    func partsAreKnownByTheirBeginning(type: String) throws {
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
}
