// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import TaplineProtobuf
import TaplineStore
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("An exchange in the inspector", .timeLimit(.minutes(3)))
struct ExchangeEndpointsTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder("traffic.db")
        try Stored.add(Stored.exchanges, to: database)
        try folder.write(Stored.ndjson(Stored.exchanges), to: "traffic.ndjson")
    }

    private func id(_ number: Int) -> String { Stored.exchanges[number].id.description }

    private func browsers() throws -> [Browser] {
        [try Browser(database), try Browser(folder("traffic.ndjson"))]
    }

    @Test("is shown with its record, without the bytes of its bodies")
    func record() throws {
        for browser in try browsers() {
            let found = try browser.get("exchanges/\(id(5))").json
            #expect(found["row"]["id"].text == id(5))
            #expect(found["record"]["v"].number == 1)
            #expect(found["record"]["request"]["url"].text == "https://api.test:8443/items/5")
            #expect(found["record"]["response"]["body"]["size"].number == 16)
            #expect(found["record"]["response"]["body"]["text"] == .null)
            #expect(found["record"]["response"]["body"]["kept"] == .null)
            #expect(found["sizes"]["response"]["kept"].number == 16)
            #expect(found["route"].text == "/items/{id}")
            let middle = try browser.get("exchanges/\(id(20))").json
            #expect(middle["previous"].text == id(19))
            #expect(middle["next"].text == id(21))
            #expect(try browser.get("exchanges/\(id(39))").json["next"] == .null)
            #expect(try browser.get("exchanges/nothing").status == 404)
        }
    }

    @Test("has gRPC messages with the names of their descriptors")
    func protobuf() throws {
        let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"
        let descriptors = try TestFiles.bytes(of: "\(fixtures)/shop.binpb")
        var exchange = Stored.exchanges[0]
        exchange.request.target = "/shop.v1.Orders/Get"
        exchange.request.fields = ["Content-Type": "application/grpc"]
        exchange.messages = [
            StreamMessage(direction: .up, type: "grpc", bytes: [0x0A, 1, 0x61])
        ]
        let path = try folder.write(Stored.ndjson([exchange]), to: "grpc.ndjson")
        let plain = try Browser(path).get("exchanges/\(id(0))/messages").json["messages"][0]
        #expect(plain["view"]["1"]["text"].text == "a")
        let browser = try Browser(path, schema: try ProtobufSchema(descriptors.span))
        let named = try browser.get("exchanges/\(id(0))/messages").json["messages"][0]
        #expect(named["view"]["sku"].text == "a")
    }

    @Test("has views of gRPC messages up to a limit of each answer")
    func manyViews() throws {
        var exchange = Stored.exchanges[0]
        exchange.request.fields = ["Content-Type": "application/grpc"]
        exchange.messages = [StreamMessage](
            repeating: StreamMessage(
                direction: .up,
                type: "grpc",
                bytes: [[UInt8]](repeating: [8, 1], count: 20_000).flatMap { $0 }
            ),
            count: 12
        )
        let path = try folder.write(Stored.ndjson([exchange]), to: "long.ndjson")
        let browser = try Browser(path)
        let all = try browser.get("exchanges/\(id(0))/messages").json["messages"].list
        #expect(all.count == 12)
        #expect(all.first?["view"]["1"].list.count == 20_000)
        #expect(all.last?["view"]["$left_out"].isTrue == true)
        let last = try browser.get("exchanges/\(id(0))/messages?from=11").json["messages"][0]
        #expect(last["view"]["1"].list.count == 20_000)
    }

    @Test("has bodies that are never interpreted by the browser")
    func bodies() throws {
        for browser in try browsers() {
            let body = try browser.get("exchanges/\(id(5))/body/response")
            #expect(body.text == "needle in a body")
            #expect(body.field("Content-Type") == "application/octet-stream")
            #expect(body.field("X-Content-Type-Options") == "nosniff")
            #expect(body.field("Content-Security-Policy") == "sandbox")
            #expect(body.field("Content-Disposition")?.hasPrefix("attachment; ") == true)
            #expect(body.field("Tapline-Content-Type") == "application/json")
            #expect(body.field("Tapline-Body") == "complete")
            #expect(body.field("Tapline-Decoding") == "none")
            let start = try browser.get("exchanges/\(id(5))/body/response?max=6")
            #expect(start.text == "needle")
            #expect(start.field("Tapline-Body") == "cut-here")
            #expect(try browser.get("exchanges/\(id(3))/body/request").text == "name=x")
            #expect(try browser.get("exchanges/\(id(9))/body/response").status == 404)
            #expect(try browser.get("exchanges/\(id(5))/body/other").status == 404)
        }
    }

    @Test("has its messages in pages")
    func messages() throws {
        for browser in try browsers() {
            let messages = try browser.get("exchanges/\(id(11))/messages?from=1&count=2").json
            #expect(messages["total"].number == 5)
            #expect(messages["messages"].list.count == 2)
            #expect(messages["messages"][0]["dir"].text == "down")
            #expect(messages["messages"][0]["text"].text == "a")
            let late = try browser.get("exchanges/\(id(11))/messages?from=99").json
            #expect(late["messages"].list.isEmpty)
        }
    }

    @Test("shows what the protobuf message of a gRPC call may mean")
    func calls() {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
        exchange.request.fields = ["Content-Type": "application/grpc"]
        let message = StreamMessage(direction: .up, type: "grpc", bytes: [0x0A, 1, 0x61])
        var json = JSONWriter()
        var view = ProtobufView()
        json.message(message, of: exchange, &view)
        let text = String(decoding: Array(copying: json.bytes), as: UTF8.self)
        #expect(text.contains(#""view":{"1":{"text":"a"}}"#))
        exchange.request.fields = ["Content-Type": "application/grpc+json"]
        json.removeAll()
        json.message(message, of: exchange, &view)
        let other = String(decoding: Array(copying: json.bytes), as: UTF8.self)
        #expect(!other.contains("view"))
    }

    @Test("is exported alone, and with others")
    func exports() throws {
        for browser in try browsers() {
            let curl = try browser.get("exchanges/\(id(3))/export?to=curl")
            #expect(curl.text.contains("'http://shop.test/items/3'"))
            #expect(curl.field("Content-Type") == "text/plain; charset=utf-8")
            #expect(curl.field("Tapline-Losses") != nil)
            #expect(try browser.get("exchanges/\(id(3))/export?to=x").status == 400)
            let all = try browser.get("export?to=ndjson&filter=\("status >= 500".encoded)")
            #expect(all.text.split(separator: "\n").count == 4)
            #expect(all.field("Content-Disposition")?.contains("traffic.ndjson") == true)
            #expect(try browser.get("export?to=ndjson&filter=%3D").status == 400)
        }
    }

    @Test("is marked, tagged and noted in a database")
    func annotations() throws {
        let browser = try Browser(database)
        let path = "exchanges/\(id(8))"
        #expect(try browser.post("\(path)/notes", "{\"text\":\"slow\"}").status == 204)
        #expect(try browser.post("\(path)/mark", "{\"mark\":\"red\"}").status == 204)
        #expect(try browser.post("\(path)/mark", "{\"mark\":\"star\"}").status == 204)
        let tag = "{\"name\":\"team\",\"value\":\"pay\"}"
        #expect(try browser.post("\(path)/tags", tag).status == 204)
        let row = try browser.rows("from=31&count=1")["rows"][0]
        #expect(row["mark"].text == "red")
        #expect(row["star"].isTrue)
        #expect(row["notes"].number == 1)
        #expect(row["tags"]["team"].text == "pay")
        let notes = try browser.get(path).json["notes"].list
        #expect(notes.contains { $0["text"].text == "slow" })
        #expect(try browser.items("filter=\("mark == \"red\"".encoded)") == [8])
        #expect(try browser.post("\(path)/mark", "{\"mark\":\"none\"}").status == 204)
        #expect(
            try browser.post("\(path)/tags", "{\"name\":\"team\",\"value\":null}").status == 204
        )
        let after = try browser.rows("from=31&count=1")["rows"][0]
        #expect(after["mark"] == .null && after["tags"] == .null)
    }

    @Test("rejects what cannot be written")
    func wrongAnnotations() throws {
        let browser = try Browser(database)
        let path = "exchanges/\(id(8))"
        #expect(try browser.post("\(path)/mark", "{\"mark\":\"pink\"}").status == 400)
        #expect(try browser.post("\(path)/mark", "{}").status == 400)
        #expect(try browser.post("\(path)/mark", "no").status == 400)
        #expect(try browser.post("\(path)/notes", "{\"text\":\"\"}").status == 400)
        let unknown = "exchanges/00000000-0000-7000-8000-000000000000/mark"
        #expect(try browser.post(unknown, "{\"mark\":\"red\"}").status == 404)
        let recording = try Browser(folder("traffic.ndjson"))
        let answer = try recording.post("\(path)/mark", "{\"mark\":\"red\"}")
        #expect(answer.status == 409)
        #expect(try answer.json["error"]["code"].text == "read_only")
    }
}
