// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

/// Arbitrary texts of a recording in place of a name, a URL or an address.
@Suite struct ImplausibleNameTests {
    private static let secret = "SeCrEt77x"

    @Test(arguments: ["password=SeCrEt77x", "Authorization: Bearer SeCrEt77x"])
    func textThatIsNotANameIsReadAsText(_ text: String) throws {
        var exchange = exchange(fields: [text: "1", "Location": text])
        exchange.request.method = ByteString(text)
        exchange.request.version = ByteString(text)
        exchange.request.target = ByteString(text)
        exchange.response = Response(version: ByteString(text), fields: [text: "1"])
        exchange.connection = Connection(client: text, server: "\(text):443")
        exchange.har = ByteString(
            #"{"log":{"a":"\#(text)"},"entry":{"_b":[{"apiKey":"SeCrEt77x"}],"c":"kept"}}"#
        )
        let clean = try redact(exchange, "preset: standard")
        #expect(!"\(clean)".contains(Self.secret))
        #expect("\(clean.har)".contains("kept"))
    }

    /// `preset: strict` removes everything that only HAR stores, since it cannot know what is
    /// harmless.
    @Test func strictRemovesHAR() throws {
        var exchange = exchange()
        exchange.har = #"{"entry":{"comment":"a name of somebody"}}"#
        #expect(try redact(exchange, "preset: strict").har.isEmpty)
    }

    /// `har` stays valid JSON, whatever is replaced in it.
    @Test(arguments: [
        "preset: standard", "{ preset: standard, action: remove }",
        "{ preset: standard, action: hash }",
    ])
    func harStaysJSON(_ options: String) throws {
        var exchange = exchange()
        exchange.har =
            #"{"entry":{"password":1234,"token":{"a":[1]},"_x":[{"name":"secret","value":[1,{}]}]}}"#
        let har = "\(try redact(exchange, options).har)"
        #expect(har.hasPrefix("{") && har.hasSuffix("}") && !har.contains("1234"))
        #expect(har.count { $0 == "{" } == har.count { $0 == "}" })
    }
}
