// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplineServe
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("The inspector", .timeLimit(.minutes(3)))
struct InspectorServerTests {
    let folder: TemporaryFolder
    let database: String
    let recording: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder("traffic.db")
        recording = folder("traffic.ndjson")
        try Stored.add(Stored.exchanges, to: database)
        try folder.write(Stored.ndjson(Stored.exchanges), to: "traffic.ndjson")
    }

    private func browsers() throws -> [Browser] {
        [try Browser(database), try Browser(recording)]
    }

    private func id(_ number: Int) -> String { Stored.exchanges[number].id.description }

    @Test(
        "a change goes on without its client, and a call that only reads ends",
        arguments: [
            ("POST", "saved", true), ("POST", "exchanges/x/mark", true), ("GET", "rows", false),
            ("POST", "rules/try", false), ("GET", "export", false),
        ]
    )
    func clientIsGone(method: String, path: String, goesOn: Bool) {
        let segments = ["api"] + path.split(separator: "/").map(String.init)
        guard case .found(let endpoint, _) = Endpoint.routes().match(method, segments) else {
            Issue.record("no such path")
            return
        }
        #expect(endpoint.outlivesClient == goesOn)
    }

    // MARK: What is open

    @Test("shows what is open")
    func info() throws {
        for browser in try browsers() {
            let info = try browser.get("info").json
            let isDatabase = info["stores"][0]["kind"].text == "database"
            #expect(info["stores"][0]["path"].text == (isDatabase ? database : recording))
            #expect(info["stores"][0]["writable"].isTrue == isDatabase)
            #expect(info["can"]["annotate"].isTrue == isDatabase)
            #expect(info["state"].text == "ok")
            #expect(info["count"].number == 40)
            #expect(info["head"].number == 40)
            #expect(info["first"].number == Int(Stored.exchanges[0].started.microseconds))
            #expect(info["last"].number == Int(Stored.exchanges[39].started.microseconds))
            #expect(info["exports"].list.contains(.text("curl")))
        }
    }

    // MARK: The list

    @Test("shows rows by index, newest first")
    func rows() throws {
        for browser in try browsers() {
            #expect(try browser.items("from=0&count=3") == [39, 38, 37])
            #expect(try browser.items("from=37&count=10") == [2, 1, 0])
            #expect(try browser.items("from=40&count=10") == [])
            let row = try browser.rows("from=36&count=1")["rows"][0]
            #expect(row["id"].text == id(3))
            #expect(row["method"].text == "POST")
            #expect(row["status"].number == 200)
            #expect(row["type"].text == "application/json")
            #expect(row["up"].number == 6)
            #expect(row["tags"]["team"].text == "checkout")
            #expect(row["us"].number == 11_000)
            #expect(row["timing"][4].number == 11_000)
            #expect(row["timing"][0] == .null)
            let failed = try browser.rows("from=30&count=1")["rows"][0]
            #expect(failed["state"].text == "failed")
            #expect(failed["error"].text == "reset")
            #expect(failed["status"] == .null)
            let secure = try browser.rows("from=34&count=1")["rows"][0]
            #expect(secure["host"].text == "api.test")
            #expect(secure["port"].number == 8443)
            #expect(secure["scheme"].text == "https")
        }
    }

    @Test("filters and sorts")
    func filters() throws {
        for browser in try browsers() {
            let failing = "status >= 500".encoded
            #expect(try browser.items("filter=\(failing)") == [37, 27, 17, 7])
            #expect(try browser.rows("filter=\(failing)&count=2")["total"].number == 4)
            #expect(try browser.items("filter=needle") == [5])
            let none = try browser.rows("filter=status%3D%3D418")
            #expect(none["total"].number == 0 && none["rows"].list.isEmpty)
            let fastest = try browser.items("sort=duration&count=4")
            #expect(fastest == [0, 19, 38, 11])
            #expect(try browser.items("sort=-duration&count=2") == [27, 8])
            #expect(try browser.items("sort=-status&count=5") == [37, 27, 17, 7, 39])
            // Exchanges without a value come last in both directions.
            #expect(try browser.items("sort=status&from=39") == [9])
            #expect(try browser.items("sort=-status&from=39") == [9])
            #expect(try browser.items("sort=host&count=1") == [5])
            #expect(try browser.items("sort=-method&count=1") == [3])
            #expect(try browser.items("sort=path&count=3") == [0, 1, 10])
            #expect(try browser.get("rows?sort=nothing").status == 400)
        }
    }

    @Test("several stores are one list by start time")
    func several() throws {
        let even = Stored.exchanges.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let odd = Stored.exchanges.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        try Stored.add(even, to: folder("even.db"))
        try folder.write(Stored.ndjson(odd), to: "odd.ndjson")
        let browser = try Browser(folder("even.db"), folder("odd.ndjson"))
        #expect(try browser.items("count=4") == [39, 38, 37, 36])
        #expect(try browser.items("filter=\("status >= 500".encoded)") == [37, 27, 17, 7])
        #expect(try browser.items("sort=started&count=3") == [0, 1, 2])
        #expect(try browser.get("info").json["count"].number == 40)
        #expect(try browser.get("locate?id=\(id(30))").json["index"].number == 9)
    }

    @Test("finds where an exchange is in a list")
    func locate() throws {
        for browser in try browsers() {
            #expect(try browser.get("locate?id=\(id(30))").json["index"].number == 9)
            let failing = "status >= 500".encoded
            let found = try browser.get("locate?id=\(id(17))&filter=\(failing)")
            #expect(try found.json["index"].number == 2)
            #expect(try browser.get("locate?id=\(id(16))&filter=\(failing)").status == 404)
            #expect(try browser.get("locate?id=\(id(17))&sort=duration").status == 200)
            let unknown = "00000000-0000-7000-8000-000000000000"
            #expect(try browser.get("locate?id=\(unknown)").status == 404)
            #expect(try browser.get("locate?id=x").status == 404)
            #expect(try browser.get("locate").status == 400)
        }
    }

    @Test("a login brings what the page asks for next, if it can be read")
    func login() throws {
        func login(_ browser: Browser, _ with: String) throws -> JSON {
            let token = browser.server.url.split(separator: "#token=").last ?? ""
            return try Browser.send(
                "POST",
                "/api/login",
                ["Content-Type: application/json"],
                body: Array("{\"token\":\"\(token)\"\(with)}".utf8),
                port: browser.port
            ).json
        }
        for browser in try browsers() {
            let rows = try login(browser, ",\"with\":\"rows\"")
            #expect(rows["key"].text?.isEmpty == false)
            #expect(rows["info"]["count"].number == 40)
            #expect(rows["rows"] == (try browser.get("rows?from=0&count=100").json))
            let info = try login(browser, ",\"with\":\"info\"")
            #expect(info["info"]["count"].number == 40 && info["rows"] == .null)
            let plain = try login(browser, "")
            #expect(plain["key"].text?.isEmpty == false && plain["info"] == .null)
            let wrong = try login(browser, ",\"with\":\"row\"")
            #expect(wrong["error"]["code"].text == "bad_value" && wrong["key"] == .null)
        }
        let missing = try login(try Browser(folder("none.db")), ",\"with\":\"rows\"")
        #expect(missing["info"]["state"].text == "missing" && missing["rows"] == .null)
    }

    // MARK: Overviews

    @Test("counts the values of fields")
    func facets() throws {
        for browser in try browsers() {
            let facets = try browser.get("facets?fields=method,status_class,host&limit=1").json
            #expect(facets["complete"].isTrue)
            #expect(facets["fields"][0]["field"].text == "method")
            #expect(facets["fields"][0]["values"][0]["value"].text == "GET")
            #expect(facets["fields"][0]["values"][0]["count"].number == 39)
            #expect(facets["fields"][0]["values"].list.count == 1)
            #expect(facets["fields"][0]["distinct"].number == 2)
            #expect(facets["fields"][1]["distinct"].number == 3)
            let failing = try browser.get("facets?filter=\("status >= 500".encoded)&fields=host")
                .json
            #expect(failing["fields"][0]["values"][0]["count"].number == 4)
            // Once its list is there, only the matches are read.
            let filter = "filter=\("path ~ \"7$\"".encoded)"
            for query in ["fields=host", "fields=host,method"] {
                let found = try browser.get("facets?\(filter)&\(query)").json["fields"][0]
                #expect(found["values"].list.reduce(0) { $0 + ($1["count"].number ?? 0) } == 4)
                #expect(try browser.items("\(filter)") == [37, 27, 17, 7])
            }
            #expect(try browser.get("facets?fields=nothing").status == 400)
        }
    }

    @Test("counts exchanges over time")
    func timeline() throws {
        for browser in try browsers() {
            let all = try browser.get("timeline?buckets=4").json
            let buckets = all["buckets"].list
            #expect(buckets.count <= 5)
            #expect(buckets.reduce(0) { $0 + ($1[0].number ?? 0) } == 40)
            #expect(buckets.reduce(0) { $0 + ($1[1].number ?? 0) } == 5)
            let first = Int(Stored.exchanges[10].started.microseconds)
            let last = Int(Stored.exchanges[19].started.microseconds)
            let part = try browser.get("timeline?buckets=10&from=\(first)&to=\(last)").json
            #expect(part["buckets"].list.reduce(0) { $0 + ($1[0].number ?? 0) } == 10)
            #expect(try browser.get("timeline?from=9999999999999999999").status == 400)
            #expect(try browser.get("timeline?from=9223372036854775807").status == 200)
        }
    }

    @Test("counts exchanges that state any time", arguments: [0, 1, 2])
    func extremeTimes(normal: Int) throws {
        var exchanges = Array(Stored.exchanges.prefix(3))
        for (index, time) in [Int64.min, Int64.max, Int64.min].enumerated() where index != normal {
            exchanges[index].started = Timestamp(microseconds: time)
        }
        let path = folder("odd.db")
        try Stored.add(exchanges, to: path)
        let browser = try Browser(path)
        for query in ["buckets=1", "buckets=200", "from=0&buckets=1", "from=0&to=0"] {
            #expect(try browser.get("timeline?\(query)").status == 200)
        }
    }

    @Test("measures the routes of hosts, and what separates exchanges")
    func apis() throws {
        for browser in try browsers() {
            let apis = try browser.get("apis").json["apis"]
            #expect(apis[0]["host"].text == "shop.test")
            #expect(apis[0]["route"].text == "/items/{id}")
            #expect(apis[0]["count"].number == 39)
            #expect(apis[0]["errors"].number == 5)
            #expect(apis[0]["methods"]["POST"].number == 1)
            #expect(apis[0]["statuses"]["5xx"].number == 4)
            #expect(apis[0]["last"].number == Int(Stored.exchanges[39].started.microseconds))
            let separates = try browser.get("separates?chosen=\("method == \"POST\"".encoded)").json
            #expect(separates["chosen"].number == 1)
            #expect(separates["rest"].number == 39)
            #expect(separates["values"][0]["field"].text == "method")
            #expect(separates["values"][0]["value"].text == "POST")
            #expect(try browser.get("separates").status == 400)
        }
    }
}
