// SPDX-License-Identifier: MIT

import TaplineCodings
import Testing

/// Returns the forms that are found in a text, with their decoded texts.
func embedded(in text: String, _ limits: EmbeddedLimits = .init()) -> [(String, String)] {
    let bytes = Array(text.utf8)
    let finder = EmbeddedFinder(limits)
    var runs: [EmbeddedRun] = []
    finder.find(in: bytes.span, appendingTo: &runs)
    return runs.compactMap { run in
        var output: [UInt8] = []
        let part = bytes.span.extracting(run.range)
        guard finder.decode(part, from: run.form, appendingTo: &output) == .decoded else {
            return nil
        }
        return (run.form.name, String(decoding: output, as: UTF8.self))
    }
}

@Suite struct EmbeddedFinderTests {
    private static let jwt =
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJlLW5vdC10ZXh0LeKCrP8"

    @Test(arguments: [
        ("Basic dXNlcjpwYXNzd29yZA==", "base64", "user:password"),
        ("/v1/items/dXNlcjpwYXNzd29yZA/x", "base64", "user:password"),
        ("key_dXNlcjpwYXNzd29yZA", "base64", "user:password"),
        (#"{"a":"eyJ0b2tlbiI6ImFiYyJ9"}"#, "base64", #"{"token":"abc"}"#),
        ("PD94bWw_Pj4-PGE-Yjw_", "base64url", "<?xml?>>><a>b<?"),
        ("at https%3A%2F%2Fh%2F", "escapes", "at https://h/"),
        (#"{"a":"\u0061\/b\n"}"#, "escapes", "a/b\n"),
        ("<p>&lt;a&#x41;&#66;&quot;</p>", "escapes", "<p><aAB\"</p>"),
        ("7b22746f6b656e223a22616263227d", "hex", #"{"token":"abc"}"#),
        ("x \(jwt) y", "jwt", "{\"alg\":\"HS256\"}\n{\"sub\":\"anna\"}\n"),
    ])
    func finds(text: String, name: String, meaning: String) throws {
        let found = embedded(in: text)
        try #require(found.count == 1, "\(found)")
        #expect(found[0].0 == name)
        #expect(found[0].1 == meaning)
    }

    @Test(arguments: [
        "", "a", "configuration of internationalization", "100% & more", "a & b; c", #"C:\Users"#,
        "550e8400-e29b-41d4-a716-446655440000", "1234567890123456",
        "d41d8cd98f00b204e9800998ecf8427e",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", "AAAAAAAAAAAAAAAAAAAA",
        "some-long-identifier_with-many-words-in-it", "%zz %4", "&nosuchname; &#; &#xZ; &#x110000;",
    ])
    func ignoresOtherText(text: String) {
        #expect(embedded(in: text).map(\.0) == [])
    }

    @Test func decodesBase64LinesOfMail() throws {
        let line = "VGhpcyBsaW5lIGlzIGxvbmcgZW5vdWdoIHRvIGJlIGJyb2tlbiBpbnRvIHNldmVyYWwgbGlu"
        let found = embedded(in: "x\r\n\(line)ZXMs\r\nYXMgbWFpbCBkb2VzLg==\r\ny")
        try #require(found.count == 1)
        #expect(
            found[0].1 == "This line is long enough to be broken into several lines,as mail does."
        )
    }

    @Test func escapesEndAtTheEndOfAString() {
        let found = embedded(in: #"{"a":"x\ny","b":"\"q\"","c":1}"#)
        #expect(found.map(\.1) == ["x\ny", "\"q\""])
    }

    @Test func recognisesFormsOfWholeTexts() throws {
        let finder = EmbeddedFinder()
        let text = Array("{\"token\": 1}".utf8)
        for form in ["utf-16", "gzip", "deflate", "zstd"] {
            let coded: [UInt8] =
                form == "utf-16"
                ? text.flatMap { [$0, 0] } : try ContentCoding(name: form).encode(text.span)
            let whole = finder.wholeForm(of: coded.span)
            let found = try #require(whole)
            #expect(found.name == form)
            var output: [UInt8] = []
            #expect(finder.decode(coded.span, from: found, appendingTo: &output) == .decoded)
            #expect(output == text)
            var again: [UInt8] = []
            #expect(found.encode(output.span, appendingTo: &again))
            output = []
            #expect(finder.decode(again.span, from: found, appendingTo: &output) == .decoded)
            #expect(output == text)
        }
        #expect(finder.wholeForm(of: text.span) == nil)
        let other = Array("x^ax^ax^a".utf8)
        #expect(finder.wholeForm(of: other.span) == nil)
    }

    @Test func reportsTooLargeOutput() throws {
        let finder = EmbeddedFinder()
        let coded = try Samples.coded(Samples.zeros, .gzip)
        let whole = finder.wholeForm(of: coded.span)
        let form = try #require(whole)
        var output: [UInt8] = []
        let outcome = finder.decode(coded.span, from: form, limit: 1000, appendingTo: &output)
        #expect(outcome == .isTooLarge)
        #expect(output.count <= 1000)
    }

    @Test func minimumLengthComesFromTheLimits() {
        var limits = EmbeddedLimits()
        limits.minBase64Length = 8
        #expect(embedded(in: "dTpwdzEy", limits).map(\.1) == ["u:pw12"])
        #expect(embedded(in: "dTpwdzEy").isEmpty)
    }
}
