// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import RedactStage

/// Names and values in notations other than JSON and forms, and text that only looks similar.
@Suite struct NotationTests {
    private static let secret = "pl4nted"

    private func body(_ text: String, _ type: String) throws -> String {
        try redactBody(text, type, "mask: '*'")
    }

    @Test(arguments: [
        (#"password\x3dpl4nted\x26a=1"#, "password\\x3d*\\x26a=1"),
        (#"p\x61ssword=pl4nted b"#, #"p\x61ssword=* b"#),
        (#"p\u{61}ssword=pl4nted b"#, #"p\u{61}ssword=* b"#),
        ("p%u0061ssword=pl4nted b", "p%u0061ssword=* b"),
        ("token%u003Dpl4nted%u0026a%u003D1", "token%u003D*%u0026a%u003D1"),
        ("p%2561ssword=pl4nted", "p%2561ssword=*"),
        (#""password"=>"pl4nted", "a"=>1"#, #""password"=>"*", "a"=>1"#),
        (":password => 'pl4nted', :a => 1", ":password => '*', :a => 1"),
        (#"{:user => "anna", "api_key" => "pl4nted"}"#, #"{:user => "anna", "api_key" => "*"}"#),
        (
            #"a:2:{s:4:"user";s:4:"anna";s:8:"password";s:7:"pl4nted";}"#,
            #"a:2:{s:4:"user";s:4:"anna";s:8:"password";s:7:"*";}"#
        ),
        (#"s:8:"password";s:8:"pl4"nted";s:1:"a""#, #"s:8:"password";s:8:"*";s:1:"a""#),
        (#"user|s:4:"anna";password|s:7:"pl4nted";"#, #"user|s:4:"anna";password|s:7:"*";"#),
        ("s:3:\"pin\";i:4711;", "s:3:\"pin\";i:*;"),
        ("mysql --user anna --password pl4nted db", "mysql --user anna --password * db"),
        ("mysql --password=pl4nted db", "mysql --password=* db"),
        ("x -password = pl4nted c", "x -password = * c"),
        ("x -password=pl4nted c", "x -password=* c"),
        ("x --db-password 'pl4nted b' c", "x --db-password '*' c"),
        ("x --api-key \"pl4nted b\" c", "x --api-key \"*\" c"),
        ("[('user', 'anna'), ('password', 'pl4nted')]", "[('user', 'anna'), ('password', '*')]"),
        ("user=a\npassword=pl4nted", "user=a\npassword=*"),
    ])
    func valuesAreFound(text: String, expected: String) throws {
        #expect(try body(text, "text/plain") == expected)
    }

    @Test(arguments: [
        "docker login --password-stdin shop.example", "x --token-file a.txt",
        "x --password --user a",
        "git commit -m token abc", "a -- token b", "f('password', 'a', 'b')",
        "required: [password, email]", "i18n(\"password\", x)", "token|other|words",
        "a,password\nonly one", "some words, token, more\nand, other, ones", "price=20\nb=3D\n",
        "A=\nB=20", "100%uncertain", #"C:\xampp\users"#, "x => y, tok => z > 1",
    ])
    func similarTextStays(text: String) throws {
        #expect(try body(text, "text/plain") == text)
    }

    @Test(arguments: [
        ("password: |\n  pl4nted\n  pl4nted\nuser: anna\n", "password: |\n  *\nuser: anna\n"),
        (
            "a:\n  - password: >-\n      pl4nted\n    user: x\n",
            "a:\n  - password: >-\n      *\n    user: x\n"
        ),
        ("password:\n  pl4nted\n\n  pl4nted\nuser: a", "password:\n  *\nuser: a"),
        ("token:\r\n- pl4nted\r\n- pl4nted\r\nuser: a\r\n", "token:\r\n*\r\nuser: a\r\n"),
        ("'password': # old\n  pl4nted\n", "'password': # old\n  *\n"),
        ("password: | # old\n pl4nted", "password: | # old\n *"),
        ("password: !vault |\n  pl4nted\na: b\n", "password: !vault |\n  *\na: b\n"),
        ("password: !vault &a |-\n  pl4nted", "password: !vault &a |-\n  *"),
        ("db: {password: pl4nted, user: x}\na: 1\n", "db: {password: *\na: 1\n"),
        (
            "env:\n  - name: DB_PASSWORD\n    value: pl4nted\n  - name: A\n    value: b\n",
            "env:\n  - name: DB_PASSWORD\n    value: *\n  - name: A\n    value: b\n"
        ),
        (
            "- key: 'api_key' \r\n  \"value\" : \"pl4nted\"\r\n",
            "- key: 'api_key' \r\n  \"value\" : \"*\"\r\n"
        ),
        (
            "- name: token\n  value: |\n    pl4nted\n    pl4nted\n",
            "- name: token\n  value: |\n    *\n"
        ),
        ("- {name: token, value: pl4nted}\na: 1\n", "- {name: token, value: *\na: 1\n"),
        ("x = {'name': 'token', 'value': 'pl4nted'}, 1", "x = {'name': 'token', 'value': '*'}, 1"),
    ])
    func yamlBlocksAreRedactedWhole(text: String, expected: String) throws {
        #expect(try body(text, "application/yaml") == expected)
    }

    @Test(arguments: [
        "password:\nuser: anna\n", "password:\n", "log: password:\n  next line\n",
        "- password:\n- user: anna\n",
        "- name: token\n  valueFrom: x\n  value: y\n", "- name: token\nvalue: x\n",
        "- name: token\n- value: x\n", "name: token of x\nvalue: x\n", "name: a\nvalue: x\n",
        "name: token\n",
    ])
    func emptyBlocksStay(text: String) throws {
        #expect(try body(text, "application/yaml") == text)
    }

    @Test(arguments: ["text/plain", "application/octet-stream", ""])
    func tablesAreRecognizedByTheirFirstLines(type: String) throws {
        let text = "user,password,age\nanna,pl4nted,3\nbob,pl4nted,4\n"
        #expect(try body(text, type) == "user,password,age\nanna,*,3\nbob,*,4\n")
        #expect(try body("user\ttoken\na\tpl4nted\n", type) == "user\ttoken\na\t*\n")
    }

    @Test func whatIsNoScriptIsReadAsText() throws {
        let type = "application/javascript"
        #expect(try body("user=a\npassword=pl4nted", type) == "user=a\npassword=*")
        #expect(try body("user=a&code=pl4nted", type) == "user=a&code=*")
        let script = "var token=a+b;f(token=>b+\"a\"+token)"
        #expect(try body(script, type) == script)
    }

    @Test func templatesAreTextsInScripts() throws {
        let script = "const token = `pl4nted ${a}`, x = {password: `pl4nted`}; f(`token`, b)"
        let expected = "const token = `*`, x = {password: `*`}; f(`token`, b)"
        #expect(try body(script, "text/javascript") == expected)
    }

    /// Text after a name that is not its value is not read to the end of the line again for each
    /// name.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["text/html", "text/javascript", "application/json"],
        ["password: a b ", "password: # a b ", "token: "]
    )
    func linesOfNamesTakeLinearTime(type: String, unit: String) throws {
        let line = "f(); " + String(repeating: unit, count: (1 << 18) / unit.utf8.count) + "a b"
        let text = type == "application/json" ? "[\"\(line)\"]" : line
        #expect(try body(text, type) == text)
    }

    /// Each of its words may be the first one of an option's name.
    @Test(.timeLimit(.minutes(1)), arguments: ["p-", "--", "pd-"])
    func longOptionsTakeLinearTime(unit: String) throws {
        let text = "x --" + String(repeating: unit, count: 1 << 20) + "d y z"
        #expect(try body(text, "text/plain") == text)
    }

    @Test(arguments: [
        (#"{"Cookie":"a=pl4nted; b=pl4nted"}"#, #"{"Cookie":"*"}"#),
        (#"{"set-cookie":["a=pl4nted; Path=/"]}"#, #"{"set-cookie":"*"}"#),
        (
            #"{"headers":{"X-Auth-Key":"pl4nted","X-Shop-Token":"pl4nted"}}"#,
            #"{"headers":{"X-Auth-Key":"*","X-Shop-Token":"*"}}"#
        ),
        (
            #"[["Host","h"],["Cookie","pl4nted"],["X-Api-Key","pl4nted"]]"#,
            #"[["Host","h"],["Cookie","*"],["X-Api-Key","*"]]"#
        ),
        (#"["password","pl4nted"]"#, #"["password","*"]"#),
        (#"{"a":[["token", "pl4nted" ] ,[1,2]]}"#, #"{"a":[["token", "*" ] ,[1,2]]}"#),
        (
            #"{"xml":"<user><password>pl4nted</password></user>"}"#,
            #"{"xml":"<user><password>*</password></user>"}"#
        ),
        (#"{"xml":"<user token=\"pl4nted b\"/>"}"#, #"{"xml":"<user token=\"*\"/>"}"#),
        (
            #"{"xml":"\u003cpassword\u003epl4nted\u003c/password\u003e"}"#,
            #"{"xml":"\u003cpassword\u003e*\u003c/password\u003e"}"#
        ),
        (
            #"{"php":"s:8:\"password\";s:7:\"pl4nted\";"}"#,
            #"{"php":"s:8:\"password\";s:7:\"*\";"}"#
        ),
        (
            #"{"ruby":"{\"password\"=>\"pl4nted\"}"}"#,
            #"{"ruby":"{\"password\"=>\"*\"}"}"#
        ),
    ])
    func notationsAreRecognizedInJSONStrings(text: String, expected: String) throws {
        #expect(try body(text, "application/json") == expected)
    }

    @Test(arguments: [
        #"{"cookie":true,"Set-Cookie":"accepted"}"#, #"{"required":["password","email"]}"#,
        #"{"grant_types":["password","refresh_token"]}"#, #"[["password","token"],["a","b"]]"#,
        #"[["password","a","b"]]"#, #"[["a","password"]]"#, #"[[1,2],["x",3],[],["a"]]"#,
        #"{"text":"<p>Your password</p>"}"#, #"{"X-Token-Count":3,"token_type":"x"}"#,
    ])
    func namesWithoutValuesStay(text: String) throws {
        #expect(try body(text, "application/json") == text)
    }

    @Test(arguments: [
        ("login failed, password: pl4nted", "login failed, password: *"),
        ("X-Shop-Token: pl4nted", "X-Shop-Token: *"),
        ("db (password: pl4nted) x", "db (password: *) x"),
        ("run --password pl4nted now", "run --password * now"),
        ("Invalid token: unexpected end of input", "Invalid token: unexpected end of input"),
        ("Your password: enter it below", "Your password: enter it below"),
        ("<@U024> my password: pl4nted", "<@U024> my password: *"),
        ("2026-11-20 -- token", "2026-11-20 -- token"), ("pin: ", "pin: "),
    ])
    func notationsAreRecognizedInShortTexts(text: String, expected: String) throws {
        #expect(
            try body("{\"m\":\"\(text)\"}", "application/json") == "{\"m\":\"\(expected)\"}"
        )
        #expect(try redactField("X-Note", text, "mask: '*'") == expected)
    }

    @Test func compressedTextWithTrailingDataIsRead() throws {
        let secret = String(repeating: "anna ", count: 20) + "password=pl4nted"
        var coded = try ContentCoding.gzip.encode(Array(secret.utf8).span)
        // A whole number of base64 lines, so that the next word may belong to it.
        while coded.count % 3 != 0 { coded.append(0) }
        let base64 = EncodedSecretTests.base64(coded, url: false, padded: true)
        let text = "log\n" + String(decoding: base64, as: UTF8.self) + "\nbye"
        let result = try body(text, "text/plain")
        #expect(!EncodedSecretTests.holds("pl4nted", Array(result.utf8)), "\(result)")
        #expect(EncodedSecretTests.holds("pl4nted", Array(text.utf8)))
    }

    @Test func elementsWithinTextAreRead() throws {
        let text = "sent <a><password>pl4nted</password></a> to List<Token> of"
        let expected = "sent <a><password>*</password></a> to List<Token> of"
        #expect(try body(text, "text/plain") == expected)
        #expect(
            try body("<x><![CDATA[<token>pl4nted</token>]]></x>", "text/xml")
                == "<x><![CDATA[<token>*</token>]]></x>"
        )
        var full = exchange()
        full.error = ExchangeError(code: "x", message: text)
        #expect(try redact(full, "mask: '*'").error?.message == expected)
    }

    @Test func tuplesAreReplacedAsTheActionSpecifies() throws {
        let text = #"[["a","b"],["password","pl4nted"]]"#
        #expect(
            try redactBody(text, "application/json", "action: remove")
                == #"[["a","b"],["password"]]"#
        )
    }

    @Test(arguments: [
        (
            "xml=%3Cuser%3E%3Cpassword%3Epl4nted%3C%2Fpassword%3E%3C%2Fuser%3E&a=1",
            "xml=%3Cuser%3E%3Cpassword%3E%2A%3C%2Fpassword%3E%3C%2Fuser%3E&a=1"
        )
    ])
    func markupInFormsIsRead(text: String, expected: String) throws {
        let type = "application/x-www-form-urlencoded"
        #expect(
            try body(text, type).replacing("%2A", with: "*") == expected.replacing("%2A", with: "*")
        )
    }

    @Test func markupWithinMarkupIsRead() throws {
        let text = "<body>&lt;password&gt;pl4nted&lt;/password&gt;</body>"
        #expect(try body(text, "text/xml") == "<body>&lt;password&gt;*&lt;/password&gt;</body>")
        let mentioned = "<p>Use &lt;password&gt; and &lt;b&gt; here</p>"
        #expect(try body(mentioned, "text/html") == mentioned)
    }
}
