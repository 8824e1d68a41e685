// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite struct CSVEditorTests {
    @Test(arguments: [
        (
            "name,password,n\r\nanna,s3cret,1\r\n\"a,\"\"b\",\"s3 \"\"c,\nret\",2\r\nx,,3",
            "name,password,n\r\nanna,[redacted],1\r\n\"a,\"\"b\",\"[redacted]\",2\r\nx,,3"
        ),
        ("a;\"API Key\";token\n1;x2;x3;4\n", "a;\"API Key\";token\n1;[redacted];[redacted];4\n"),
        // Two secrets that end like names are not keys.
        (
            "client_secret,id\nTJimqBx9KbZd7pWD,1\nx2y3token,2",
            "client_secret,[redacted]\n[redacted],[redacted]\n[redacted],2"
        ),
        ("\npin\n1234\n\n5678", "\npin\n[redacted]\n\n[redacted]"),
        ("a,b\n1,2", "a,b\n1,2"), ("", ""), ("token", "token"), ("token,\"", "token,\""),
    ])
    func columnsAreRedactedByName(text: String, expected: String) throws {
        #expect(try redactBody(text, "text/csv") == expected)
    }

    @Test func tabsSeparateValues() throws {
        let text = "user\ttoken\nanna\ts3, cret\n"
        #expect(
            try redactBody(text, "text/tab-separated-values") == "user\ttoken\nanna\t[redacted]\n"
        )
    }

    @Test(arguments: 0..<200)
    func tablesOfAnyNotationAreRead(seed: Int) throws {
        var random = Random(seed: UInt64(seed) + 700)
        let separator = random.pick([",", ";", "\t", "|"])
        let end = random.pick(["\n", "\r\n", "\r"])
        let names = ["id", "city", "note", "age"]
        let secretName = random.pick(["password", "API Key", "access_token", "API\nKey"])
        let column = random.below(names.count + 1)
        let hasDeclaration = random.below(3) == 0 && separator != "\t"
        var text =
            hasDeclaration ? random.pick(["sep=\(separator)", "\"sep=\(separator)\""]) + end : ""
        if random.below(4) == 0 { text = "\u{FEFF}" + text }
        var expected = text
        func add(_ cells: [(text: String, shown: String)]) {
            let isQuoted = cells.map { _ in random.below(3) == 0 }
            func line(_ cell: (((text: String, shown: String)) -> String)) -> String {
                zip(cells, isQuoted).map { cells, isQuoted in
                    let needsQuotes = ["\"", "\n", "\r", separator].contains {
                        cells.text.contains($0)
                    }
                    let text = cell(cells).replacing("\"", with: "\"\"")
                    return isQuoted || needsQuotes ? "\"\(text)\"" : text
                }.joined(separator: separator) + end
            }
            text += line { $0.text }
            expected += line { $0.shown }
        }
        var head = names.map { (text: $0, shown: $0) }
        head.insert((secretName, secretName), at: column)
        add(head)
        for _ in 0..<(1 + random.below(4)) {
            var cells = names.map { _ in
                let text = random.pick([
                    "x", "two words", "a \"b\"", "l1\nl2", "7", "e\(separator)f",
                ])
                return (text: text, shown: text)
            }
            let secret = random.pick([
                "pl4nted", "pl4 nted", "pl4\"nted", "pl4\nnted", "pl4\(separator)",
            ])
            cells.insert((secret, "[redacted]"), at: column)
            add(cells)
        }
        #expect(try redactBody(text, "text/csv") == expected)
    }

    @Test(arguments: [
        ("password;pl4nted\nuser;anna\n", "password;[redacted]\nuser;anna\n"),
        ("user;anna\npassword;pl4nted\n", "user;anna\npassword;[redacted]\n"),
        (
            "user,anna\r\n\"password\",\"pl4\nnted\"\r\n",
            "user,anna\r\n\"password\",\"[redacted]\"\r\n"
        ),
        ("key,value\ntoken,pl4nted\nhost,h", "key,value\ntoken,[redacted]\nhost,h"),
        (
            "id,name,note,value\n1,token,x,pl4nted\n2,host,y,h",
            "id,name,note,value\n1,token,x,[redacted]\n2,host,y,h"
        ),
        ("token\tpl4nted\t\nuser\tanna\t\n", "token\t[redacted]\t\nuser\tanna\t\n"),
        ("password;pl4nted", "password;[redacted]"),
        ("sep=|\ntoken|pl4nted\nuser|x,y;z", "sep=|\ntoken|[redacted]\nuser|x,y;z"),
        // Either a column of secrets, or a key and its value.
        ("password,s3cret\nhunter,x\n", "password,[redacted]\n[redacted],x\n"),
        ("token,count\na1:b/2,3\nc3:d/4,5\n", "token,count\n[redacted],3\n[redacted],5\n"),
    ])
    func rowsOfKeyAndValueAreRedactedByKey(text: String, expected: String) throws {
        #expect(try redactBody(text, "text/csv") == expected)
    }

    @Test(arguments: ["text/plain", ""])
    func rowsOfKeyAndValueAreRecognizedInText(type: String) throws {
        let text = "host;h.test\npassword;pl4nted\nuser;anna\n"
        #expect(try redactBody(text, type) == text.replacing("pl4nted", with: "[redacted]"))
        let declared = "sep=;\nuser;API Key\nanna;pl4nted\n"
        #expect(try redactBody(declared, type) == declared.replacing("pl4nted", with: "[redacted]"))
    }

    @Test(arguments: [
        "a token; or two\nare; not\n", "a token, password\nand, more\n", "sep=;\n", "sep=", "sep=;",
        "separate;words\nin;lines\n", "one;two;three\ntoken;x;y\n", "token;a;b", "x;y\n\ntoken",
    ])
    func otherTextStays(text: String) throws {
        #expect(try redactBody(text, "text/plain") == text)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [";", "\"", "a;\n", "\"\"", "a;\"b\n\"\n"])
    func longTablesTakeLinearTime(unit: String) throws {
        let text = "password;x\n" + String(repeating: unit, count: 1 << 15)
        _ = try redactBody(text, "text/csv")
        _ = try redactBody(text, "text/plain")
    }
}
