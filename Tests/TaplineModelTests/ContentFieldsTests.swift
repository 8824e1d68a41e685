// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

/// Previous fields, shared by the tables below.
private enum Former: String, CaseIterable {
    case none, length, chunked, described

    var fields: FieldSection {
        switch self {
        case .none: ["X": "1"]
        case .length: ["X": "1", "content-length": "9"]
        case .chunked: ["Transfer-Encoding": "chunked", "X": "1", "Trailer": "Z"]
        case .described:
            [
                "Content-Encoding": "gzip", "ETag": "\"1\"", "Content-Length": "9", "X": "1",
                "Content-Digest": "a", "Repr-Digest": "a", "Digest": "a", "Content-MD5": "a",
                "Content-Type": "text/plain", "Last-Modified": "a", "content-length": "9",
                "ETAG": "\"2\"",
            ]
        }
    }

    /// The remaining fields with a length; `nil` for no length.
    func left(_ length: Int?) -> FieldSection {
        let length = length.map { "\($0)" }
        switch (self, length) {
        case (.none, let length?), (.chunked, let length?):
            return ["X": "1", "Content-Length": length]
        case (.length, let length?): return ["X": "1", "content-length": length]
        case (.described, let length?):
            return [
                "Content-Length": length, "X": "1", "Content-Type": "text/plain",
                "Last-Modified": "a",
            ]
        case (.described, nil):
            return ["X": "1", "Content-Type": "text/plain", "Last-Modified": "a"]
        case (_, nil): return ["X": "1"]
        }
    }
}

@Suite struct ContentFieldsTests {
    // MARK: - Replaced content

    /// Previous fields × new size; the resulting length of the request.
    @Test(
        arguments: [
            (Former.none, 0, nil), (.none, 3, 3), (.length, 0, 0), (.length, 3, 3),
            (.chunked, 0, nil), (.chunked, 3, 3), (.described, 0, 0), (.described, 3, 3),
        ] as [(Former, Int, Int?)]
    )
    private func fieldsOfARequestMatchNewContent(former: Former, size: Int, length: Int?) {
        var request = Request(
            method: "POST",
            fields: former.fields,
            body: Body(bytes: [1], size: 9, coding: "gzip", isTruncated: true, contentType: "a/b"),
            trailers: ["Z": "1"]
        )
        let bytes = [UInt8](repeating: 0x61, count: size)
        request.replaceContent(bytes)
        #expect(request.fields == former.left(length))
        #expect(request.body == Body(bytes))
        #expect(request.trailers.isEmpty)
    }

    /// Status × new size; the resulting length of the response, whatever it was before.
    @Test(
        arguments: [
            (200, 0, 0), (200, 3, 3), (205, 0, 0), (304, 3, 3), (404, 3, 3),
            (0, 3, nil), (101, 3, nil), (204, 0, nil), (204, 3, nil),
        ] as [(Int, Int, Int?)],
        Former.allCases
    )
    private func fieldsOfAResponseMatchNewContent(row: (Int, Int, Int?), former: Former) {
        let (status, size, length) = row
        var response = Response(
            status: status,
            fields: former.fields,
            body: Body(bytes: [1], size: 9, coding: "gzip", isTruncated: true, contentType: "a/b"),
            trailers: ["Z": "1"]
        )
        let bytes = [UInt8](repeating: 0x61, count: size)
        response.replaceContent(bytes)
        #expect(response.fields == former.left(length))
        #expect(response.body == Body(bytes))
        #expect(response.trailers.isEmpty)
    }

    @Test func replacingBytesOfARecordKeepsTheCountedSize() {
        var body = Body(
            bytes: [1],
            size: 9,
            coding: "gzip",
            isTruncated: true,
            decodedSize: 20,
            contentType: "a/b"
        )
        body.replaceRecorded([1, 2])
        #expect(body == Body(bytes: [1, 2], size: 9, contentType: "a/b"))
    }

    // MARK: - Answers

    private static let lengths: [FieldSection] = [
        [:], ["Content-Length": "9"], ["content-length": "9", "Content-Length": "8"],
        ["Transfer-Encoding": "chunked"], ["Transfer-Encoding": "a", "Content-Length": "x"],
    ]

    /// Method × status × size of the body; the resulting lengths for each of `lengths`, and
    /// whether the body stays.
    @Test(arguments: [
        ("GET", 200, 0, ["0", "0", "0", "0", "0"], true),
        ("GET", 200, 3, ["3", "3", "3", "3", "3"], true),
        ("POST", 503, 3, ["3", "3", "3", "3", "3"], true),
        ("GET", 204, 0, ["", "", "", "", ""], true),
        ("GET", 204, 3, ["", "", "", "", ""], false),
        ("GET", 103, 3, ["", "", "", "", ""], false),
        ("GET", 205, 0, ["0", "0", "0", "0", "0"], true),
        ("GET", 205, 3, ["0", "0", "0", "0", "0"], false),
        ("GET", 304, 0, ["", "9", "9 8", "", "x"], true),
        ("GET", 304, 3, ["", "9", "9 8", "", "x"], false),
        ("HEAD", 200, 0, ["0", "9", "0", "0", "0"], true),
        ("HEAD", 200, 3, ["3", "3", "3", "3", "3"], true),
        ("HEAD", 204, 3, ["", "", "", "", ""], false),
        ("HEAD", 205, 0, ["0", "0", "0", "0", "0"], true),
        ("HEAD", 304, 0, ["", "9", "9 8", "", "x"], true),
    ])
    func generatedResponseIsFramedByItsBody(
        method: String,
        status: Int,
        size: Int,
        expected: [String],
        staysWhole: Bool
    ) {
        for (fields, expected) in zip(Self.lengths, expected) {
            var answer = Response(
                status: status,
                fields: fields,
                body: Body([UInt8](repeating: 0x61, count: size))
            )
            answer.frame(answering: ByteString(method))
            let lengths = answer.fields.all("Content-Length").map(\.description)
            #expect(lengths.joined(separator: " ") == expected, "\(fields.all("Content-Length"))")
            #expect(!answer.fields.contains("Transfer-Encoding"))
            #expect(answer.body.bytes.count == (staysWhole ? size : 0))
        }
    }

    @Test(arguments: [
        (101, false), (200, true), (204, false), (205, true), (304, false), (500, true),
    ])
    func theStatusDecidesWhetherContentFollows(status: Int, allows: Bool) {
        #expect(Response.allowsContent(status, isHead: false) == allows)
        #expect(!Response.allowsContent(status, isHead: true))
    }

    // MARK: - Fields alone

    @Test(
        arguments: [
            ([:], "gzip", ["Content-Encoding": "gzip", "Content-Length": "3"]),
            ([:], "", ["Content-Length": "3"]),
            (["content-length": "9"], "", ["content-length": "9"]),
            (["Transfer-Encoding": "chunked"], "", ["Transfer-Encoding": "chunked"]),
            (
                ["content-encoding": "br"], "gzip",
                ["content-encoding": "br", "Content-Length": "3"]
            ),
        ] as [(FieldSection, String, FieldSection)]
    )
    func addsFieldsForUndescribedContent(
        fields: FieldSection,
        coding: String,
        expected: FieldSection
    ) {
        var fields = fields
        fields.describeContent(size: 3, coding: coding)
        #expect(fields == expected)
    }

    @Test func restoresFieldsOfContent() {
        var fields: FieldSection = [
            "A": "changed", "Content-Length": "3", "content-type": "a/b", "New": "1",
        ]
        fields.restoreContentFields(of: [
            "A": "1", "Content-Type": "text/plain", "ETag": "x", "ETag": "y", "Digest": "d",
        ])
        #expect(
            fields == [
                "A": "changed", "New": "1", "Content-Type": "text/plain", "ETag": "x", "ETag": "y",
                "Digest": "d",
            ]
        )
    }
}
