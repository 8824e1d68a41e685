// SPDX-License-Identifier: MIT

import Testing

@Suite struct ScriptTextTests {
    @Test(arguments: [
        (#"callback({"token":{"a":1},"b":2});"#, #"callback({"token":"[redacted]","b":2});"#),
        (#"/**/ $.x.y( [{"pin":1234}] )"#, #"/**/ $.x.y( [{"pin":"[redacted]"}] )"#),
        (#"window.state = {"pin": 1};"#, #"window.state = {"pin": "[redacted]"};"#),
        (#"var token = "s3cret", a = f(1);"#, #"var token = "[redacted]", a = f(1);"#),
        ("x({token: read(), a: 1})", "x({token: read(), a: 1})"),
        (
            "n.token=e[r].value}}return a.password==b.password",
            "n.token=e[r].value}}return a.password==b.password"
        ),
        ("a[\"token\"]=b.c;d(e)", "a[\"token\"]=b.c;d(e)"),
        ("if(a.token==\"s3cret\")x()", "if(a.token==\"s3cret\")x()"),
        ("n.token=\"s3cret\",b()", "n.token=\"[redacted]\",b()"),
        ("get(\"/x?token=s3cret&a=1\")", "get(\"/x?token=[redacted]&a=1\")"),
        (
            "get('/x?a=1\\u0026token=s3cret\\u0026b=2')",
            "get('/x?a=1\\u0026token=[redacted]\\u0026b=2')"
        ),
        (#"var apiKeys = ["s3cret"];"#, #"var apiKeys = ["[redacted]"];"#),
        (#"x.tokens=["s3cret","s3cret"]"#, #"x.tokens=["[redacted]","[redacted]"]"#),
        (#"var secret={"value":"s3cret"}"#, #"var secret={"value":"[redacted]"}"#),
        (#"c["apiKeys"]={"a":["s3cret"]};"#, #"c["apiKeys"]={"a":["[redacted]"]};"#),
        (#"var keyboards = ["qwerty"];"#, #"var keyboards = ["qwerty"];"#),
        (#"x({"token":"s3cr"#, #"x({"token":"[redacted]"#),
    ])
    func namesAreFoundInScripts(text: String, expected: String) throws {
        #expect(try redactBody(text, "text/javascript") == expected)
    }

    /// No `=`, brace or escape, so that only its quotes show that it may hold a secret.
    @Test(arguments: [
        (
            #"return this.send("SSWS 00QCjAl4MlV-WPXM") || null;"#,
            #"return this.send("SSWS [redacted]") || null;"#
        ),
        (
            #"return this.send("Bearer abcdefghij") || null;"#,
            #"return this.send("Bearer [redacted]") || null;"#
        ),
        (
            #"return this.get("/reset-password/8f3a9c0d1e2b4a5f") || null;"#,
            #"return this.get("/reset-password/%5Bredacted%5D") || null;"#
        ),
    ])
    func textsOfCodeWithoutATypeAreSearched(text: String, expected: String) throws {
        #expect(try redactBody(text, "text/plain") == expected)
    }
}
