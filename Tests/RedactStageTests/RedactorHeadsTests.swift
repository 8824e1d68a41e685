// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

@Suite struct RedactorHeadsTests {
    private func part(_ head: String, _ content: String = "x") -> String {
        "--B\r\n\(head)\r\n\r\n\(content)\r\n--B--\r\n"
    }

    private func edited(_ text: String) throws -> String {
        try redactBody(text, "multipart/form-data; boundary=B", "{mask: '*', detectors: key}")
    }

    @Test(arguments: [
        (
            #"form-data; name="f"; filename="token=pl4nted""#,
            #"form-data; name="f"; filename="token=*""#
        ),
        (
            #"form-data; name="f"; filename="a?b=1&token=pl4nted&c=2""#,
            #"form-data; name="f"; filename="a?b=1&token=*&c=2""#
        ),
        (#"form-data; name="f"; filename="SK-PLANTED77""#, #"form-data; name="f"; filename="*""#),
    ])
    func parametersAreSearched(written: String, expected: String) throws {
        let text = part("Content-Disposition: \(written)")
        #expect(try edited(text) == part("Content-Disposition: \(expected)"))
    }

    @Test(arguments: [
        ("X-Api-Key: pl4nted", "X-Api-Key: *"), ("Cookie: a=pl4nted", "Cookie: a=*"),
        ("Set-Cookie: a=pl4nted; Path=/", "Set-Cookie: a=*; Path=/"),
        ("Content-Location: /x?token=pl4nted", "Content-Location: /x?token=%2A"),
        ("Content-Description: Bearer pl4nted", "Content-Description: Bearer *"),
        ("Host: u:pl4nted@h", "Host: %2A@h"),
    ])
    func fieldsAreRedactedByName(written: String, expected: String) throws {
        #expect(try edited(part(written)) == part(expected))
    }

    @Test func ordinaryHeadsStay() throws {
        let text = part(
            "Content-Disposition: form-data; name=\"file\"; filename=\"a b.txt\"\r\n"
                + "Content-Type: text/plain; charset=utf-8\r\nX-Token-Count: 3"
        )
        #expect(try edited(text) == text)
    }

    @Test func quotedPrintablePartsAreDecoded() throws {
        let head = "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable"
        let text = part(head, "pass=\r\nword=3Dpl4=\r\nnted end caf=C3=A9")
        #expect(try edited(text) == part(head, "password=3D* end caf=C3=A9"))
        let plain = part(head, "nothing =\r\nhere")
        #expect(try edited(plain) == plain)
    }

    @Test func aFieldMayDeclareTheWholeBodyQuotedPrintable() throws {
        var full = exchange(type: "text/plain", body: "p=61ssword: pl4=\nnted")
        full.request.fields.append(name: "Content-Transfer-Encoding", value: "Quoted-Printable ")
        let result = try redact(full, "mask: '*'").request.body.bytes
        #expect(String(decoding: result, as: UTF8.self) == "password: *")
    }

    @Test func quotedPrintableMailIsRecognizedByItsContent() throws {
        let text = "Subject: x\n\nhttps://h/?a=3D1&token=3Dpl4=\nnted and more\n"
        #expect(
            try redactBody(text, "message/rfc822", "mask: '*'")
                == "Subject: x\n\nhttps://h/?a=3D1&token=3D* and more\n"
        )
    }
}
