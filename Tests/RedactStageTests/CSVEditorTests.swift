// SPDX-License-Identifier: MIT

import Testing

@Suite struct CSVEditorTests {
    @Test(arguments: [
        (
            "name,password,n\r\nanna,s3cret,1\r\n\"a,\"\"b\",\"s3 \"\"c,\nret\",2\r\nx,,3",
            "name,password,n\r\nanna,[redacted],1\r\n\"a,\"\"b\",\"[redacted]\",2\r\nx,,3"
        ),
        ("a;\"API Key\";token\n1;x2;x3;4\n", "a;\"API Key\";token\n1;[redacted];[redacted];4\n"),
        ("\npin\n1234\n\n5678", "\npin\n[redacted]\n\n[redacted]"),
        ("a,b\n1,2", "a,b\n1,2"), ("", ""), ("token", "token"), ("token,\"", "token,\""),
    ])
    func columnsAreRedactedByTheirNames(text: String, expected: String) throws {
        #expect(try redactBody(text, "text/csv") == expected)
    }

    @Test func tabsSeparateToo() throws {
        let text = "user\ttoken\nanna\ts3, cret\n"
        #expect(
            try redactBody(text, "text/tab-separated-values") == "user\ttoken\nanna\t[redacted]\n"
        )
    }
}
