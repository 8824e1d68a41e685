// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RedactStage

@Suite struct CodeEditorTests {
    private func script(_ text: String) throws -> String {
        try redactBody(text, "text/javascript", "mask: '*'")
    }

    @Test(arguments: [
        ("config[\"apiKey\"] = \"pl4nted\";", "config[\"apiKey\"] = \"*\";"),
        ("config['api_key']='pl4nted';", "config['api_key']='*';"),
        ("$a['token'] = 'pl4nted';", "$a['token'] = '*';"),
        ("$h->{token} = \"pl4nted\";", "$h->{token} = \"*\";"),
        ("localStorage.setItem(\"token\", \"pl4nted\")", "localStorage.setItem(\"token\", \"*\")"),
        ("System.setProperty(\"token\",\"pl4nted\");", "System.setProperty(\"token\",\"*\");"),
        ("req.header('X-Api-Key', 'pl4nted');", "req.header('X-Api-Key', '*');"),
        ("os.Setenv(\"API_TOKEN\", \"pl4nted\");", "os.Setenv(\"API_TOKEN\", \"*\");"),
        ("setenv(\"token\", \"pl4nted\", 1);", "setenv(\"token\", \"*\", 1);"),
        (
            "Map.of(\"a\", \"b\", \"token\", \"pl4nted\");",
            "Map.of(\"a\", \"b\", \"token\", \"*\");"
        ),
        ("setattr(x, \"token\", \"pl4nted\");", "setattr(x, \"token\", \"*\");"),
        ("headers.put(ACCESS_TOKEN, \"pl4nted\");", "headers.put(ACCESS_TOKEN, \"*\");"),
        ("var xToken string = \"pl4nted\";", "var xToken string = \"*\";"),
        ("let token: string = `pl4nted`;", "let token: string = `*`;"),
        (
            "private static final String token = \"pl4nted\";",
            "private static final String token = \"*\";"
        ),
        ("char token[32] = \"pl4nted\";", "char token[32] = \"*\";"),
        ("$token .= \"pl4nted\";", "$token .= \"*\";"),
        ("token ?= \"pl4nted\";", "token ?= \"*\";"),
        ("token := \"pl4nted\";", "token := \"*\";"), ("token += 'pl4nted';", "token += '*';"),
        ("x = {'token' : 'pl4nted'};", "x = {'token' : '*'};"),
        ("array('token' => 'pl4nted');", "array('token' => '*');"),
        ("{:token => 'pl4nted'};", "{:token => '*'};"),
        ("%h = (user => 'ann', token => 'pl4nted');", "%h = (user => 'ann', token => '*');"),
        ("[x] token=>'pl4nted&&pl4nted=='; n=2", "[x] token=>'*'; n=2"),
        ("f(token=\"pl4nted\");", "f(token=\"*\");"), ("f token: \"pl4nted\";", "f token: \"*\";"),
        ("token = \"pl4\" + 'nted' + x + \"pl4nted\";", "token = \"*\" + '*' + x + \"*\";"),
        ("token = \"pl4\"\n  \"nted\";", "token = \"*\"\n  \"*\";"),
        ("token = \"pl4\" .\n \"nted\";", "token = \"*\" .\n \"*\";"),
        ("token = env.TOKEN || \"pl4nted\";", "token = env.TOKEN || \"*\";"),
        ("token = env.get('x') or 'pl4nted';", "token = env.get('x') or '*';"),
        ("token = (x ? \"pl4nted\" : 'pl4');", "token = (x ? \"*\" : '*');"),
        ("token = (\"pl4nted\");", "token = (\"*\");"), ("token = b'pl4nted';", "token = b'*';"),
        ("token = Buffer.from(\"pl4nted\", 'hex');", "token = Buffer.from(\"*\", 'hex');"),
        ("const token = `pl4nted${a + `b`}`;", "const token = `*`;"),
        ("token = \"\"\"pl4\n\"nted\"\"\";", "token = \"\"\"*\"\"\";"),
        ("token = ['pl4nted', \"pl4\"];", "token = ['*', \"*\"];"),
        ("#define TOKEN \"pl4nted\"\nint a;", "#define TOKEN \"*\"\nint a;"),
        (
            "new Map([[\"token\", \"pl4nted\"], ['a', 'b']]);",
            "new Map([[\"token\", \"*\"], ['a', 'b']]);"
        ),
        ("[{name: \"token\", value: \"pl4nted\"}];", "[{name: \"token\", value: \"*\"}];"),
        ("[{value: \"pl4nted\", key: \"token\"}];", "[{value: \"*\", key: \"token\"}];"),
        ("d.set(\"pl4nted\", forKey: \"token\");", "d.set(\"*\", forKey: \"token\");"),
        (
            "[d setObject:@\"pl4nted\" forKey:@\"token\"];",
            "[d setObject:@\"*\" forKey:@\"token\"];"
        ),
        ("c[\"to\\x6ben\"] = \"pl4\\\"nted\";", "c[\"to\\x6ben\"] = \"*\";"),
        ("h = [\"X-Api-Key: pl4nted\"];", "h = [\"X-Api-Key: *\"];"),
        ("a = /[\"']/g; token = 'pl4nted';", "a = /[\"']/g; token = '*';"),
        ("// don't\ntoken = 'pl4nted'; /* it's */ f();", "// don't\ntoken = '*'; /* it's */ f();"),
        ("// token = 'pl4nted';\n", "// token = '*';\n"),
        ("document.cookie = \"sid=pl4nted; path=/\";", "document.cookie = \"sid=*; path=/\";"),
        ("x = `${f({token: \"pl4nted\"})}`;", "x = `${f({token: \"*\"})}`;"),
        ("ENV[\"API_KEY\"] ||= \"pl4nted\"", "ENV[\"API_KEY\"] ||= \"*\""),
        ("token = new String(\"pl4nted\");", "token = new String(\"*\");"),
        ("token = c ? \"pl4nted\" : d;", "token = c ? \"*\" : d;"),
    ])
    func stringsAreRedactedByTheCodeBeforeThem(text: String, expected: String) throws {
        #expect(try script(text) == expected)
    }

    @Test(arguments: [
        "f({tokens: [\"pl4nted\"], b: 1});", "f({tokens:['pl4nted', x, 'pl4nted'], b: \"c\"});",
        "f({credentials: {id: \"pl4nted\"}, b: \"c\"});",
        "f({credentials: {id: x ? \"pl4nted\" : 'pl4nted', b: {c: [\"pl4nted\"]}}, d: \"e\"});",
        "tokens = new Set([\"pl4nted\", \"pl4nted\"]), b = [\"c\"];",
        "tokens = (\"pl4nted\", \"pl4nted\");",
        "['tokens' => array('pl4nted', 'pl4nted'), 'b' => array('c')];",
        "['credentials' => ['user' => 'pl4nted'], 'b' => 'c'];",
        "credentials = { id = \"pl4nted\", at = 'pl4nted' }\nb = { id = \"c\" }",
    ])
    func stringsInContainersOfSecretsAreRedacted(text: String) throws {
        #expect(try script(text) == text.replacing("pl4nted", with: "*"))
    }

    @Test(arguments: [
        "var s = process.env.JWT_SECRET || \"pl4nted\", b = \"c\";",
        "var s = process.env[\"JWT_SECRET\"] ?? \"pl4nted\", b = \"c\";",
        "s = os.environ.get(\"JWT_SECRET\") or \"pl4nted\"\nb = \"c\"",
        "h.set(\"X-Api-Key\", k || \"pl4nted\", \"b\");",
        "h.set(\"X-Api-Key\", String(\"pl4nted\"));",
        "x.setPassword(\"pl4nted\").name(\"b\");", "x.setDbPassword('pl4nted');",
        "x.setAPIKey('pl4nted'); x.set_user_api_key('pl4nted');", "x.set_token(k || 'pl4nted');",
        "builder->withToken('pl4nted');", "builder.apiKey(\"pl4nted\").name(\"b4dword\");",
        "class A { token!: string = \"pl4nted\"; b = \"c\" }",
        "const token = /* c */ \"pl4nted\";", "const token = // c\n  \"pl4nted\"; b = \"c\"",
        "/* a */ token = \"pl4nted\" / 2;", "x = {token: /* {( */ 'pl4nted', b: 'c'};",
        "// token =\n//   \"pl4nted\"\nb = \"c\"",
    ])
    func stringsInFallbacksSettersAndCommentsAreRedacted(text: String) throws {
        #expect(try script(text) == text.replacing("pl4nted", with: "*"))
    }

    @Test(arguments: [
        "s = process.env.PASSWORD || \"correct horse\";", "x.setPassword('correct horse');",
    ])
    func wordsAreRedactedUnderUnambiguousNames(text: String) throws {
        #expect(try !script(text).contains("horse"))
    }

    @Test(arguments: ["text/plain", "text/javascript"])
    func secretsInPHPDumpsAreRedacted(type: String) throws {
        let text = """
            array(2) {
              ["password"]=>
              string(7) "pl4nted"
              ["name"]=>
              string(3) "bob"
            }
            """
        #expect(
            try redactBody(text, type, "mask: '*'") == text.replacing("pl4nted", with: "*")
        )
        for access in ["protected", "\"User\":private"] {
            let text = "{\n  [\"password\":\(access)]=>\n  string(7) \"pl4nted\"\n}"
            #expect(try !redactBody(text, type, "mask: '*'").contains("pl4nted"))
        }
    }

    @Test func powerShellSecureStringsAreRedacted() throws {
        for text in [
            "$p = ConvertTo-SecureString \"pl4nted\" -AsPlainText -Force",
            "$p = ConvertTo-SecureString -String 'pl4nted' -AsPlainText",
            "f -Credential (ConvertTo-SecureString \"pl4nted\" -AsPlainText)",
        ] {
            #expect(try script(text) == text.replacing("pl4nted", with: "*"))
            let plain = try redactBody(text, "text/plain", "mask: '*'")
            #expect(plain == text.replacing("pl4nted", with: "*"))
        }
    }

    @Test(arguments: [
        "f({password: {type: \"string\", required: true, label: \"Password\"}});",
        "f({password: {tooShort: \"At least twelve characters\", path: \"/x\"}});",
        "this.token(\"keyword\"); t.password(\"Enter your password\"); a.getToken(\"n4mename\");",
        "x.hasPassword(\"x1234567\"); x.setPasswordLabel(\"Enter\"); l = token || \"keyword\";",
        "setToken = (t) => ({type: \"SET\", payload: t});",
        "fetch(u, {credentials: \"include\"}); f({password: {rules: [\"required\", \"min:8\"]}});",
        "r = {resetPassword: {url: \"/reset\", method: \"POST\"}};",
        "token: function () { return {a: \"b\"} }", "/* token = */ f(\"b\");",
        "a = token // c\nf(\"b\")",
    ])
    func similarCodeWithoutSecretsStays(text: String) throws {
        #expect(try script(text) == text)
    }

    @Test(arguments: [
        "x.cookie='__utma='+a", "{user=r[3]||n;this.password=r[4]}",
        "f({password: this.password});",
        "document.cookie=\"name=\"+v+\"; path=/; expires=\"+d;", "a.cookie='x='+y+';domain='+z;",
        "var token=a+b;f(token=>b+\"a\"+token);", "f({token: t, password: \"\"});",
        "if (token === \"pl4nted\") f();", "type = show ? \"text\" : \"password\";",
        "x = a ? e.password : \"text\";", "x = a ? \"password\" : \"text\";",
        "switch (a) { case \"token\": return \"abc\"; case token: f(\"abc\"); }",
        "$(\"password\", \"form\"); t(\"password\", \"Passwort\");", "f('password', 'a', 'b');",
        "token = localStorage.getItem(\"token\");", "password = $(\"#password\").val();",
        "const names = [\"password\", \"email\", \"x\"];", "export const TOKEN = \"token\";",
        "x = {PASSWORD: \"password\", TOKEN: \"access_token\"};", "token = `${a}-${b}`;",
        "password = \"${DB_PASSWORD}\";", "token = '{{ token }}'; f(\"token: %s\");",
        "input.setAttribute(\"type\", \"password\");", "x = {password: {required: true}};",
        "label = {password: \"Please enter your password.\"};", "x = token\n\"use strict\";",
        "class A { token() { return \"abc\"; } }", "const f = (token) => \"abc\";",
        "function f(token) { return \"abc\" }", "n.token=e[r].value}}return a.password==b.password",
        "x={token:e.token,get:function(){return\"abc\"}}", "for(token in{a:\"b\"})f(\"c\");",
        "password = null; x = \"abc\";", "f(password, \"abc\");", "x = y[\"token\"] + \"abc\";",
    ])
    func harmlessCodeStays(text: String) throws {
        #expect(try script(text) == text)
        let bundle = "!function(){var a=1;" + text + "};(function(b){return b||a&&c})();"
        #expect(try redactBody(bundle, "text/javascript") == bundle)
    }

    @Test(arguments: ["text/plain", ""])
    func codeIsRecognizedWithoutAType(type: String) throws {
        let bundle =
            "!function(e){var n=e||{};this.password=e[4];x.cookie='__utma='+n;"
            + "return{user=r[3]||n;this.password=r[4]}}"
        #expect(try redactBody(bundle, type) == bundle)
        let secret = bundle + ";config[\"apiKey\"] = \"pl4nted\";"
        #expect(try redactBody(secret, type) == secret.replacing("pl4nted", with: "[redacted]"))
        let text = "login failed (again): password=pl4nted, retry"
        #expect(try !redactBody(text, type).contains("pl4nted"))
        let call = "said: setItem('token', 'pl4nted') and more"
        #expect(try redactBody(call, type) == call.replacing("pl4nted", with: "[redacted]"))
    }

    /// Returns a text as code writes it: with quotes, escapes, in pieces.
    private static func literal(_ text: String, _ random: inout Random) -> String {
        let quote = random.pick(["\"", "'", "`"])
        var written = ""
        for scalar in text.unicodeScalars {
            let hex = String(scalar.value, radix: 16)
            switch random.below(12) {
            case 0: written += "\\x" + hex
            case 1: written += "\\u00" + hex
            case 2: written += "\\u{" + hex + "}"
            case 3: written += quote + " + " + quote
            default: written.unicodeScalars.append(scalar)
            }
        }
        return quote + written + quote
    }

    @Test(arguments: 0..<300)
    func secretsAreRedactedInEveryNotation(seed: Int) throws {
        var random = Random(seed: UInt64(seed) + 5000)
        let name = random.pick(["password", "apiKey", "access_token", "client_secret"])
        let quote = random.pick(["\"", "'"])
        let named = quote + name + quote
        let secret = Self.literal("zq9wk7", &random)
        let blank = random.pick(["", " ", "  ", "\n"])
        let code = random.pick([
            "\(name)\(blank)=\(blank)\(secret)", "a.\(name)=\(secret)",
            "a[\(named)]\(blank)=\(secret)",
            "x = {\(name)\(blank):\(blank)\(secret)}", "x = {\(named):\(secret), b: 1}",
            "s.setItem(\(named),\(blank)\(secret))", "s.put(\(blank)\(named), \(secret), 1)",
            "const \(name): string = \(secret)", "var \(name) string = \(secret)",
            "$\(name) .= \(secret)", "\(name) := \(secret)", "\(name) ??= \(secret)",
            "\(name) = x || \(secret)", "\(name) = (\(secret))", "f(\(name)=\(secret))",
            "p = {name: \(named), value: \(secret)}", "p = {value: \(secret), name: \(named)}",
            "q = [[\(named), \(secret)]]", "array(\(named) => \(secret))",
        ])
        // Concatenated strings are not a single argument or element.
        let isPieced = secret.contains(" + ") && (code.hasPrefix("q =") || code.hasPrefix("p = {v"))
        let text = "function f(a) { return a / 2; } \(code); g('kept', \"kept=1\", /x'y/, `z`);"
        let result = try script(text)
        if isPieced { return }
        #expect(result.hasPrefix("function f(a) { return a / 2; } "))
        #expect(result.hasSuffix("; g('kept', \"kept=1\", /x'y/, `z`);"))
        #expect(!CodeEditorTests.holds("zq9wk7", result), "\(text) → \(result)")
        let hashed = try redactBody(text, "text/javascript", "action: hash")
        #expect(!CodeEditorTests.holds("zq9wk7", hashed))
    }

    /// Whether any three consecutive characters of a text remain, escaped or not.
    private static func holds(_ secret: String, _ text: String) -> Bool {
        let plain = String(decoding: CodeLiteral.decode(text.utf8.span), as: UTF8.self)
        let scalars = Array(secret)
        return (0..<scalars.count - 2).contains { plain.contains(String(scalars[$0..<$0 + 3])) }
    }

    @Test func theDecodedTextOfAStringCanBeEdited() {
        var list = RuleList()
        list.addStandard(.mask)
        let rules = RuleSet(list, Replacement(mask: "*", key: "key".utf8.span))
        let text = Array("code: a[\"token\"] = 'pl4nted'; b".utf8)
        var edits = EditList()
        var editor = CodeEditor(rules)
        let isUnderstood = editor.edit(text.span, 6..<text.count, &edits)
        #expect(isUnderstood)
        let result = String(decoding: edits.apply(to: text.span), as: UTF8.self)
        #expect(result == "code: a[\"token\"] = '*'; b")
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "'", "\"", "`", "`${", "/", "/[", "'\\", "(", "token=", "a?", "a:", "{a:[",
            "\"token\",",
            "//'\n", "/*", "token=\"a\"+", "\"${${\"", "x=`${`", "\"\"\"", "]", "name:\"token\",",
        ]
    )
    func hostileCodeTakesLinearTime(unit: String) throws {
        let text = "f();" + String(repeating: unit, count: (1 << 15) / unit.utf8.count)
        _ = try script(text)
        _ = try script("token=" + text)
    }

    @Test func noBytesTrap() throws {
        let pieces = [
            "'", "\"", "`", "${", "}", "{", "(", ")", "[", "]", "/", "\\", "=", ":", ",", ";",
            "token",
            "name", "value", "?", "+", "\n", " ", "set", "//", "/*", "*/", "x", "\u{E9}", "cookie",
        ]
        var random = Random(seed: 77)
        for _ in 0..<2000 {
            let text = (0..<random.below(30)).map { _ in random.pick(pieces) }.joined()
            for action in ["mask", "hash"] {
                _ = try redactBody(text, "text/javascript", "action: \(action)")
            }
        }
    }
}
