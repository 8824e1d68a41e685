// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

/// Content that people paste into texts and programs log, in each place that contains text.
@Suite struct PastedTextTests {
    static let secret = "Zq9S3cretVal7x"

    @Test(arguments: [
        "Got token: \(secret) for user 5", "api_key: 9f86\(secret) is revoked",
        "Session ID: \(secret) not found", "user: bob | password: \(secret) | host: x",
        "[password: \(secret)] [host: x]", "header X-Api-Key: \(secret) rejected",
        #"config["apiKey"] = "\#(secret)";"#, #"os.environ["X_API_KEY"]="\#(secret)""#,
        "$config['db_password']='\(secret)';", #"setItem("token", "\#(secret)")"#,
        "user,password\nbob,\(secret)\n", "{\n \"tokens\": [\n  \"\(secret)\"\n ]\n}",
        "200 OK\n{\n \"credentials\": {\n  \"key\": \"\(secret)\"\n }\n}",
        "a: 1\ntokens: [\n  \(secret) ]\nb: 2",
        #"{"query":"mutation L($p:String){login(password:$p){ok}}","variables":{"p":"\#(secret)"}}"#,
        "Bearer token \(secret) is invalid", "Basic auth \(secret)== rejected",
        "Bearer Bearer \(secret)", "--password = \(secret)", "password == \(secret)",
        "{Cookie=[a=b; b=\(secret)]}", "Cookie=a=b; b=\(secret)", "**Password**: \(secret)",
        "*Token:* \(secret)", "- **API key**: \(secret)", "**Password:** \(secret)",
        "`password`: \(secret)", "A=1\nDB_PASSWORD=ab&\(secret)\nX=2",
        "export DB_PASSWORD=ab&\(secret)",
    ])
    func secretsAreRedacted(text: String) throws {
        var exchange = exchange(target: "/")
        exchange.tags = ["note": text]
        exchange.messages = [StreamMessage(direction: .up, type: "text", bytes: Array(text.utf8))]
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
        let coded = text.utf8.map { String($0, radix: 16) }
            .map { $0.count < 2 ? "%0\($0)" : "%\($0)" }.joined()
        let result = try redact(exchange)
        var outputs = [
            try redactBody(#"{"m":"\#(escaped)"}"#), try redactBody(text, "text/plain"),
            try redactBody("m=\(coded)", "application/x-www-form-urlencoded"),
            result.tags["note"] ?? "", String(decoding: result.messages[0].bytes, as: UTF8.self),
        ]
        if !text.contains("\n") { outputs.append(try redactField("X-Note", text) ?? "") }
        let left = Self.secret.utf8.map { "%\(String($0, radix: 16))" }.joined()
        for output in outputs {
            #expect(output.contains("redacted"))
            #expect(!output.contains(Self.secret) && !output.contains(left), "\(output)")
        }
    }

    @Test(arguments: [
        "Basic T-Shirt", "Java, Basic, Pascal", "Basic PRO plan", "Bearer authentication required",
        "The session: 2026-11-23T10:00:00Z was long", "The secret: never give up on it",
        "the token: https://x.test/1 is a link", "2*x = 5, and y", "See f(\"x\") and g['y'], ok",
    ])
    func otherTextsStay(text: String) throws {
        #expect(try redactField("X-Note", text) == text)
        let escaped = text.replacing("\"", with: "\\\"")
        let body = #"{"m":"\#(escaped)"}"#
        #expect(try redactBody(body) == body)
    }

    @Test(arguments: [
        (
            #"[{"name":"DB_PASSWORD","value":"x"}]"#,
            #"[{"name":"DB_PASSWORD","value":"[redacted]"}]"#
        ),
        (#"[["password","x"]]"#, #"[["password","[redacted]"]]"#),
    ])
    func fieldsAreReadAsJSON(value: String, expected: String) throws {
        #expect(try redactField("X-Config", value) == expected)
    }
}
