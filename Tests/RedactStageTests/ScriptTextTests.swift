// SPDX-License-Identifier: MIT

import Testing

@Suite struct ScriptTextTests {
    @Test(arguments: [
        (#"callback({"token":{"a":1},"b":2});"#, #"callback({"token":"[redacted]","b":2});"#),
        (#"/**/ $.x.y( [{"pin":1234}] )"#, #"/**/ $.x.y( [{"pin":"[redacted]"}] )"#),
        (#"window.state = {"pin": 1};"#, #"window.state = {"pin": "[redacted]"};"#),
        (#"var token = "s3cret", a = f(1);"#, #"var token = "[redacted]", a = f(1);"#),
        ("x({token: read(), a: 1})", "x({token: read(), a: 1})"),
        (#"x({"token":"s3cr"#, #"x({"token":"[redacted]"#),
    ])
    func namesCountInScripts(text: String, expected: String) throws {
        #expect(try redactBody(text, "text/javascript") == expected)
    }
}
