// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@testable import TaplineExport

@Suite("Requests for other clients")
struct OutgoingRequestTests {
    private func made(_ request: Request) -> (OutgoingRequest?, [String]) {
        var losses = LossReport()
        let made = OutgoingRequest(request, &losses)
        return (made, losses.losses.map(\.field))
    }

    private func request(_ fields: FieldSection, body: Body = Body()) -> Request {
        Request(method: "POST", target: "/a", authority: "shop.test", fields: fields, body: body)
    }

    @Test("have no pseudo-fields, framing or fields of the connection")
    func fields() throws {
        let (made, losses) = made(
            request([
                ":authority": "shop.test", "Host": "shop.test", "X-A": "1", "Content-Length": "3",
                "Connection": "keep-alive", "Keep-Alive": "5", "x-a": "2",
            ])
        )
        let fields = try #require(made).fields
        #expect(fields.map(\.name) == ["X-A", "x-a"])
        #expect(losses.isEmpty)
        let (_, others) = self.made(request(["Upgrade": "h2c", "X\u{0}": "1", "X-B": "a\rb"]))
        #expect(others == ["request.headers (connection)", "request.headers (malformed)"])
    }

    @Test("keep a host that the URL does not state")
    func host() throws {
        let (made, _) = made(request(["Host": "other.test"]))
        #expect(try #require(made).value("host") == "other.test")
    }

    @Test("state no coding of decoded content")
    func coding() throws {
        var body = Body(Array("plain".utf8))
        let (decoded, losses) = made(request(["Content-Encoding": "gzip"], body: body))
        #expect(try #require(decoded).contains("Content-Encoding") == false)
        #expect(losses == ["request.body.coding"])
        body.coding = "gzip"
        let (coded, none) = made(request(["Content-Encoding": "gzip"], body: body))
        #expect(try #require(coded).value("Content-Encoding") == "gzip")
        #expect(none.isEmpty)
    }

    @Test(
        "send empty content where clients state its length",
        arguments: [
            ("POST", true), ("PUT", true), ("GET", false), ("DELETE", false),
        ]
    )
    func content(method: String, sends: Bool) throws {
        var recorded = request([:])
        recorded.method = ByteString(method)
        #expect(try #require(made(recorded).0).hasContent == sends)
        recorded.fields.append(name: "Content-Length", value: "0")
        #expect(try #require(made(recorded).0).hasContent)
    }

    @Test("cannot be made without a host, and from tunnels")
    func refused() {
        var tunnel = request([:])
        tunnel.method = "CONNECT"
        #expect(made(tunnel).0 == nil)
        var local = request([:])
        local.authority = ""
        #expect(made(local).1 == ["request (url)"])
        local.authority = "shop.test' x"
        #expect(made(local).1 == ["request (url)"])
    }

    @Test("join repeated fields as their kind requires")
    func joined() throws {
        let fields: FieldSection = ["Cookie": "a=1", "X": "1", "cookie": "b=2", "x": "2"]
        var losses = LossReport()
        let joined = try #require(made(request(fields)).0).joinedFields(&losses)
        #expect(joined.map(\.text) == ["a=1; b=2", "1, 2"])
        #expect(losses.losses.map(\.field) == ["request.headers (repeated)"])
    }

    @Test(
        "have targets that URLs allow",
        arguments: [
            ("/a b?q=\u{FC}", "/a%20b?q=%C3%BC"), ("/%zz%2f", "/%25zz%2f"), ("/x#y", "/x%23y"),
            ("/?a[]=1", "/?a[]=1"), ("/{x}", "/%7Bx%7D"),
        ]
    )
    func targets(target: String, encoded: String) {
        #expect(TargetText.encoded(Array(target.utf8)) == encoded)
    }

    @Test("know what clients rewrite")
    func rewriting() {
        #expect(TargetText.hasDotSegments(Array("/a/%2E./b".utf8)))
        #expect(!TargetText.hasDotSegments(Array("/a/.b?x=/../".utf8)))
        #expect(TargetText.hasLowerCaseEncoding(Array("/%2f".utf8)))
        #expect(!TargetText.hasLowerCaseEncoding(Array("/%2F".utf8)))
    }
}
