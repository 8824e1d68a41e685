// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Values that visible texts of HTML name.
@Suite struct MarkupLabelsTests {
    private func html(_ text: String) throws -> String {
        try redactBody(text, "text/html", "mask: '*'")
    }

    @Test(arguments: [
        "<dl><dt>User</dt><dd>anna</dd><dt> API <b>Key</b>: </dt><dd><code>pl4nted</code></dd></dl>",
        "<dl><dt>Password<dd>pl4nted<dd>pl4nted<dt>User<dd>anna</dl>",
        "<tr><th>User</th><td>anna</td></tr><tr><th>Password</th><td>pl4nted</td></tr>",
        "<td>Password</td><td>pl4nted</td>",
        "<table><tr><th>User</th><td>anna</td></tr><tr><th>Password</th><td>pl4nted</td></tr></table>",
        "<table><tr><td>User:</td><td>anna</td></tr><tr><td>Pass&#119;ord:</td><td>pl4 nted</td></tr></table>",
        "<table><tr><th>User</th><th>Password</th><th>Age</th></tr><tr><td>anna</td><td>pl4nted</td><td>3</td></tr><tr><td>bob</td><td><i>pl4nted</i></td><td>4</td></tr></table>",
        "<table><thead><tr><td>User<td>Token<tbody><tr><td>anna<td>pl4nted<tr><td>bob<td>pl4nted</table>",
        "<table><tr><td>User</td><td>Token</td><td>Age</td></tr><tr><td>anna</td><td>pl4nted</td><td>1</td></tr></table>",
        "<table><tr><td>SECRET_KEY</td><td>pl4nted</td></tr><tr><td>DB_PASSWORD</td><td>pl4nted</td></tr></table>",
        "<table><tr><td>DB_PASSWORD</td><td>pl4nted</td></tr><tr><td>APP_NAME</td><td>Shop</td></tr><tr><td>API key:</td><td>pl4nted</td></tr></table>",
        "<tr><td>Access token</td><td>pl4nted</td></tr><tr><td>password</td><td>pl4nted</td></tr>",
        "<table><tr><td>1</td><td>DB_PASSWORD</td><td>pl4nted</td></tr><tr><td>2</td><td>API_KEY</td><td>pl4nted</td></tr></table>",
        "<table><tr><td>API_KEY</td><td>pl4nted</td><td>for mail</td></tr><tr><td>DB_PASSWORD</td><td>pl4nted</td><td>for data</td></tr></table>",
        "<table><tr><td>Pin</td><td>pl4nted</td></tr><tr><td>Api key</td><td>pl4nted</td></tr><tr><td>Name</td><td>anna</td></tr></table>",
        "<table><tr><td>Token</td><td>User</td></tr><tr><td>pl4nted</td><td>anna</td></tr><tr><td>pl4nted</td><td>bob</td></tr></table>",
        "<table><tr><th colspan=2>Person</th><th>Token</th></tr><tr><td>a</td><td>b</td><td>pl4nted</td></tr></table>",
        "<table><tr><th>x</th><th>Token</th></tr><tr><td rowspan=2>a</td><td>pl4nted</td></tr><tr><td>pl4nted</td></tr></table>",
        "<table><tr><th>Password</th><td><table><tr><td>pl4nted</td></tr></table></td></tr></table><p>x</p>",
        "<label>Password</label> pl4nted<br>",
        "<label>API key: <input name=f1 value='pl4nted'></label>",
        "<label for='f1'>Password</label><p>x</p><input value=pl4nted id='f1'><p>y</p>",
        "<input id=f1 value=\"pl4nted\"><label for=f1>Access token</label>",
        "<label for=f>Secret</label><textarea id=f>pl4nted</textarea>x",
        "<b>Password:</b> pl4nted<br>", "<b>Password</b>: user x<p>API key: pl4nted</p>",
        "<li>Token: pl4nted</li><li>Name: anna</li>", "<p>Token:<br><code>pl4nted</code></p>",
        "<tr><td>User</td></tr><p>Password: pl4nted</p>",
        "<p><b>Token</b>: pl4nted</p>", "<li><strong>API key</strong> : pl4nted</li><li>x: y</li>",
        "<td><i>Access&nbsp;token</i>: pl4nted</td>",
        "<pre>\"<span class=sf-dump-key>password</span>\" => \"<span class=sf-dump-str title='7 characters'>pl4nted</span>\"\n</pre>",
        "<span class='nl'>\"password\"</span><span class='p'>:</span> <span class='s2'>\"pl4nted\"</span>",
        "<span>api_key</span><span>:</span> <span>pl4nted</span><span>user</span><span>:</span> <span>anna</span>",
        "<select name=token><option value=pl4nted>x</option><option value='pl4nted'>y</select><select name=a><option value=b>",
        "<pre>array(2) {\n  [\"password\"]=>\n  string(7) \"pl4nted\"\n  [\"a\"]=>\n  string(1) \"b\"\n}</pre>",
    ])
    func labelsNameTheTextAfterThem(text: String) throws {
        #expect(
            try html(text) == text.replacing("pl4nted", with: "*").replacing("pl4 nted", with: "*")
        )
    }

    @Test(arguments: [
        "<form><label for=p>Password</label><input id=p type=password name=password><p>At least 12 characters, please.</p><a href='/x'>Forgot password?</a><button>Log in</button></form>",
        "<label>Password <input type=password></label><input type=submit value='Log in'>",
        "<label><input type=checkbox value=1> Show password</label> Remember me",
        "<label>Password</label><input type=submit name=token value='Log in now'>",
        "<dl><dt>Password</dt><dd>••••••••</dd><dd><a>Change</a></dd><dt>Token</dt><dd>none</dd></dl>",
        "<dl><dt>Password</dt><dd>Use at least twelve characters.</dd></dl><p>other</p>",
        "<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Pro</td><td>3</td></tr></table>",
        "<table><tr><th>Password</th><th>Confirm</th></tr></table><p>text</p>",
        "<table><tr><td>token</td><td>string</td><td>Your API token.</td></tr></table>",
        "<table><tr><th colspan=2>Password</th></tr><tr><td>min. length</td><td>12</td></tr></table>",
        "<p>Your password: enter it below</p><p>Invalid token: unexpected end of input</p>",
        "<p>Forgot your password?</p><p>Reset it</p>", "<h2>Password</h2><p>Rules</p>",
        "<a>Password</a><a>Security</a>", "<span>Token</span><span>Secret</span>",
        "<ul><li>Password</li><li>Profile</li></ul>", "<b>Token:</b> <i>expired</i>",
        "<p><b>Token</b>: string</p><code>token</code>: The token<br><b>Password</b>: at least 12 signs",
        "<span>token</span><span>:</span> <span>getToken</span>()<span>password</span>: user.password,",
        "<span>password</span>: string;<b>Token</b>::new <a>Password</a>: <a>Change</a>",
        "<select name=token><option value=default>All<option value=none>pl4in</select><option value=w0rdless>",
        "<label>Name</label> anna", "<dt>Password</dt><dt>Other</dt><dd>x</dd>",
    ])
    func harmlessPagesKeepTheirText(text: String) throws {
        #expect(try html(text) == text)
    }

    @Test func aLongValueInTheFirstRowKeepsTheNamesOfOtherRows() throws {
        let rows =
            "<tr><td>Token</td><td>pl4nted0123456789</td></tr><tr><td>Time zone</td><td>UTC</td></tr>"
        #expect(
            try html("<table>\(rows)</table>")
                == "<table>\(rows.replacing("pl4nted0123456789", with: "*"))</table>"
        )
    }

    @Test(arguments: 0..<200)
    func tablesOfSettingsLoseSecretsAndKeepNames(seed: Int) throws {
        var random = Random(seed: UInt64(seed) + 9000)
        let names = [
            "SECRET_KEY", "DB_PASSWORD", "API key", "access_token", "client-secret", "Password:",
        ]
        let others = ["APP_NAME", "User", "HTTP_PROXY", "name"]
        let index = random.below(3) == 0
        let note = random.pick(["", "", "<td>used by all</td>"])
        var rows = ""
        for row in 0...random.below(6) {
            let isSecret = row == 0 || random.below(2) == 0
            rows += "<tr>" + (index ? "<td>\(row + 1)</td>" : "")
            rows += "<td>\(random.pick(isSecret ? names : others))</td>"
            rows += "<td>\(isSecret ? random.pick(["pl4nted", "<i>pl4nted</i>"]) : "shop")</td>"
            rows += note + "</tr>"
        }
        let page = "<table>\(rows)</table>"
        #expect(try html(page) == page.replacing("pl4nted", with: "*"))
    }

    @Test(arguments: 0..<200)
    func secretsAreRedactedInEveryLayout(seed: Int) throws {
        var random = Random(seed: UInt64(seed) + 8000)
        let label = random.pick([
            "Password", "API key", "Access Token", "pass&#119;ord", "API&nbsp;Key",
        ])
        let mark = random.pick(["", ":", " :", " *", ":*"])
        let blank = random.pick(["", " ", "\n  "])
        let isUpper = random.below(3) == 0
        func tag(_ name: String) -> String {
            "<" + (isUpper ? name.uppercased() : name)
                + random.pick([
                    "", "", " class=a", " class=\"b c\"", " data-x='>y'".replacing(">", with: ""),
                ]) + ">"
        }
        func end(_ name: String) -> String { "</" + (isUpper ? name.uppercased() : name) + ">" }
        let (open, close) = random.pick([("", ""), ("<b>", "</b>"), ("<span class=x>", "</span>")])
        let named = blank + open + label + mark + close + blank
        let secret =
            blank + random.pick(["pl4nted", "<code>pl4nted</code>", "<i><b>pl4nted</b></i>"])
        let text = random.pick([
            tag("dl") + tag("dt") + named + end("dt") + blank + tag("dd") + secret + end("dd")
                + end("dl"),
            tag("table") + tag("tr") + tag("th") + named + end("th") + blank + tag("td") + secret
                + end("td")
                + end("tr") + end("table"),
            tag("table") + tag("tr") + tag("td") + "x" + end("td") + end("tr") + tag("tr")
                + tag("td") + named
                + tag("td") + secret + end("table"),
            tag("table") + tag("tr") + tag("th") + "A" + tag("th") + named + tag("tr") + tag("td")
                + "b" + tag("td")
                + secret + end("table"),
            tag("label") + named + end("label") + secret + "<br>",
        ])
        let page = "<html><body><p>Some text: kept</p>\(text)<p>Other text</p></body></html>"
        #expect(try html(page) == page.replacing("pl4nted", with: "*"), "\(page)")
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "<table>", "<td>", "<td>a", "<tr><td rowspan=999>", "<label for=a>token</label>",
            "<input id=a value=b>", "<dt>password", "a: ", "<td colspan=999>token",
        ]
    )
    func hostilePagesTakeLinearTime(unit: String) throws {
        _ = try html("<p>" + String(repeating: unit, count: (1 << 15) / unit.utf8.count))
    }
}
