// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

/// Examples for each entry of the list "Not found by name" in the README of the stage.
///
/// `preset: standard` does not redact them. If one is redacted, shorten the list.
@Suite struct NotFoundByNameTests {
    @Test(arguments: [
        "password -> S3CRETx9", "password | S3CRETx9", "machine x login ann password S3CRETx9",
        "ENV PASSWORD S3CRETx9", "CREATE USER a IDENTIFIED BY 'S3CRETx9'",
        "INSERT INTO u (name, password) VALUES ('a', 'S3CRETx9')", "mysql -pS3CRETx9 db",
        "sshpass -p S3CRETx9 ssh", #"{:password "S3CRETx9"}"#, #"(password . "S3CRETx9")"#,
        "my password is S3CRETx9", "curl -b 'a=S3CRETx9' x.test", "curl -su user:S3CRETx9 x.test",
        "user:S3CRETx9@tcp(db)/app", "password：S3CRETx9", "pass\u{1B}[1mword=S3CRETx9",
    ])
    func notationsOfText(text: String) throws {
        #expect(try redactBody(text, "text/plain") == text)
        #expect(try redactField("X-Note", text) == text)
    }

    @Test func proseOfSeveralWords() throws {
        let text = "password: correct horse"
        #expect(try redactField("X-Note", text) == text)
        let page = "<p>password: secretive and more</p>"
        #expect(try redactBody(page, "text/html") == page)
    }

    @Test(arguments: [
        #"{"k":"password","v":"S3CRETx9"}"#, #"{"id":"password","value":"S3CRETx9"}"#,
        #"{"label":"password","value":"S3CRETx9"}"#, #"{"S3CRETx9":1}"#,
        #"{"rawHeaders":["X-Api-Key","S3CRETx9"]}"#, #"{"args":["--password","S3CRETx9"]}"#,
        #"{"cookies":["a=S3CRETx9"]}"#, #"{"columns":["password"],"rows":[["S3CRETx9"]]}"#,
        #"{"name":"password","values":["S3CRETx9"]}"#, #"{"a":"Bearer secret word"}"#,
        #"{"a":"see <param-name>password</param-name><param-value>S3CRETx9</param-value> there"}"#,
        #"{"a":"('password', 'S3CRETx9')"}"#,
        #"{"query":"{ t: accessToken }","data":{"t":"S3CRETx9"}}"#,
    ])
    func placesInJSON(body: String) throws {
        #expect(try redactBody(body) == body)
    }

    @Test(arguments: [
        "<select name=\"password\"><option>S3CRETx9</option></select>",
        "<pre>[&quot;password&quot;]=&gt;\n string(8) &quot;S3CRETx9&quot;</pre>",
    ])
    func placesInMarkup(body: String) throws {
        #expect(try redactBody(body, "text/html") == body)
    }

    @Test func namesOfQueriesInText() throws {
        let body = "SharedAccessSignature sr=a&sig=S3CRETx9&se=1"
        #expect(try redactBody(body, "text/plain") == body)
    }

    @Test(arguments: [
        "- value: S3CRETx9\n  name: password\n", "- name: password\n  kind: x\n  value: S3CRETx9\n",
    ])
    func pairsOfYAML(body: String) throws {
        #expect(try redactBody(body, "application/yaml") == body)
    }

    @Test(arguments: [
        "/password/x", "/password/abcdefghijklmnopqrst", "/x/8f3a5c0e9b7d2146",
    ])
    func segmentsOfPaths(target: String) throws {
        #expect(try redact(exchange(target: target)).request.target.text == target)
    }

    @Test func base64WithoutAScheme() throws {
        // ann:S3CRETx9
        #expect(try redactBody(#"{"auth":"YW5uOlMzQ1JFVHg5"}"#) == #"{"auth":"YW5uOlMzQ1JFVHg5"}"#)
    }

    @Test func namesThemselves() throws {
        #expect(try redactField("S3CRETx9-Name", "1") == "1")
    }

    @Test(arguments: [
        "var password = 123456;", "cat <<PASSWORD\nS3CRETx9\nPASSWORD",
        #"if (token === "S3CRETx9") { go(); }"#, #"f("password", "S3CRETx9");"#,
    ])
    func placesInCode(code: String) throws {
        #expect(try redactBody(code, "text/javascript") == code)
    }

    @Test func protocolsOfWebSockets() throws {
        let value = "graphql-ws, bearer-S3CRETx9, auth-S3CRETx9"
        #expect(try redactField("Sec-WebSocket-Protocol", value) == value)
    }
}
