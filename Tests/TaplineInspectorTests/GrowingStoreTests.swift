// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("A store that changes while it is inspected", .timeLimit(.minutes(3)))
struct GrowingStoreTests {
    let folder: TemporaryFolder
    let exchanges = Exchange.many(60)

    init() throws { folder = try TemporaryFolder() }

    /// Waits until the inspector knows a number of exchanges.
    private func waitForCount(_ count: Int, _ browser: Browser) throws {
        try blockingWait(for: "\(count) exchanges") {
            try browser.get("info").json["count"].number == count
        }
    }

    @Test("keeps the list of an old head, and shows the new one", arguments: ["db", "ndjson"])
    func grows(_ suffix: String) throws {
        let path = folder("traffic.\(suffix)")
        func add(_ range: Range<Int>) throws {
            if suffix == "db" { return try Stored.add(Array(exchanges[range]), to: path) }
            let bytes = try Stored.ndjson(Array(exchanges[range]))
            try File(path, for: .append).write(bytes.span)
        }
        try add(0..<20)
        let browser = try Browser(path)
        let filter = "filter=\("status == 500".encoded)"
        #expect(try browser.items("count=2") == [19, 18])
        #expect(try browser.items("\(filter)&count=2") == [18, 15])
        let old = try browser.get("info").json["head"].number ?? 0
        try add(20..<40)
        try waitForCount(40, browser)
        #expect(try browser.items("count=2&head=\(old)") == [19, 18])
        #expect(try browser.rows("\(filter)&count=2&head=\(old)")["total"].number == 7)
        #expect(try browser.items("count=2") == [39, 38])
        #expect(try browser.items("\(filter)&count=3") == [39, 36, 33])
        #expect(try browser.rows("\(filter)")["total"].number == 14)
        #expect(try browser.items("\(filter)&count=2&head=\(old)") == [18, 15])
        #expect(try browser.items("sort=path&count=1&head=\(old)&from=19") == [9])
        let id = exchanges[18].id
        #expect(try browser.get("locate?id=\(id)&\(filter)&head=\(old)").json["index"].number == 0)
        #expect(try browser.get("locate?id=\(id)&\(filter)").json["index"].number == 7)
        try add(40..<60)
        try waitForCount(60, browser)
        #expect(try browser.items("\(filter)&count=1") == [57])
        #expect(try browser.items("\(filter)&count=1&head=\(old)") == [18])
    }

    @Test("shows an exchange of several databases once, however they grow and shrink")
    func copies() throws {
        let paths = ["a.db", "b.db", "c.db"].map { folder($0) }
        try Stored.add(Array(exchanges[0..<20]), to: paths[0])
        try Stored.add(Array(exchanges[10..<30]), to: paths[1])
        try Stored.add(Array(exchanges[25..<30]), to: paths[2])
        let browser = try Browser(paths)
        func expect(_ numbers: [Int]) throws {
            try waitForCount(numbers.count, browser)
            let newest = Array(numbers.reversed())
            #expect(try browser.items("count=100") == newest)
            #expect(try browser.rows("count=1")["total"].number == numbers.count)
            #expect(try browser.items("sort=path&count=100").count == numbers.count)
            let id = exchanges[numbers[0]].id
            let index = try browser.get("locate?id=\(id)").json["index"].number
            #expect(index == numbers.count - 1)
        }
        try expect(Array(0..<30))
        try Stored.add(Array(exchanges[28..<33]), to: paths[0])
        try expect(Array(0..<33))
        try Stored.add(Array(exchanges[30..<35]), to: paths[1])
        try expect(Array(0..<35))
        _ = try command("sqlite3", [paths[0], "DELETE FROM exchanges WHERE seq <= 15"])
        try Stored.add([exchanges[35]], to: paths[2])
        try expect(Array(10..<36))
        let each = try Browser(paths, countsEachCopy: true)
        try waitForCount(41, each)
        #expect(try each.rows("count=1")["total"].number == 41)
    }

    @Test("shows an exchange of several recordings once, and as a database has it")
    func recordedCopies() throws {
        let paths = ["a.db", "b.ndjson", "c.ndjson"].map { folder($0) }
        func append(_ range: Range<Int>, to path: String) throws {
            let bytes = try Stored.ndjson(Array(exchanges[range]))
            try File(path, for: .append).write(bytes.span)
        }
        try Stored.add(Array(exchanges[0..<10]), to: paths[0])
        try append(5..<20, to: paths[1])
        try append(15..<25, to: paths[2])
        let browser = try Browser(paths)
        func expect(_ count: Int) throws {
            #expect(try browser.items("count=100") == Array((0..<count).reversed()))
            #expect(try browser.rows("count=1")["total"].number == count)
            #expect(try browser.items("sort=path&count=100").count == count)
            let id = exchanges[7].id
            let index = try browser.get("locate?id=\(id)").json["index"].number
            #expect(index == count - 8)
        }
        try waitForCount(25, browser)
        try expect(25)
        // The last recording has some of them already.
        try append(22..<27, to: paths[1])
        try waitForCount(27, browser)
        try expect(27)
        try Stored.add(Array(exchanges[24..<28]), to: paths[0])
        try blockingWait(for: "the rows of the database") {
            try browser.items("count=1") == [27]
        }
        try expect(28)
        let each = try Browser(paths, countsEachCopy: true)
        try waitForCount(44, each)
        #expect(try each.rows("count=1")["total"].number == 44)
    }

    @Test("shows a store that does not exist yet, is empty, and is replaced")
    func appears() throws {
        let path = folder("late.db")
        let browser = try Browser(path)
        let missing = try browser.get("info").json
        #expect(missing["state"].text == "missing")
        #expect(missing["message"].text?.contains("late.db") == true)
        #expect(missing["help"].text?.isEmpty == false)
        #expect(try browser.get("rows").status != 200)
        try folder.write("", to: "late.db")
        try blockingWait(for: "an empty store") {
            try browser.get("info").json["state"].text == "empty"
        }
        #expect(try browser.items("") == [])
        try Stored.add(Array(exchanges[0..<5]), to: folder("other.db"))
        try FileSystem.move(folder("other.db"), to: path)
        try waitForCount(5, browser)
        #expect(try browser.items("count=1") == [4])
        try Stored.add(Array(exchanges[10..<13]), to: folder("other.db"))
        try FileSystem.move(folder("other.db"), to: path)
        try waitForCount(3, browser)
        #expect(try browser.items("count=1") == [12])
    }

    @Test("says what is wrong with a store that cannot be read")
    func broken() throws {
        try folder.write("no recording\n", to: "text.ndjson")
        let text = try Browser(folder("text.ndjson"))
        try blockingWait(for: "the error") {
            try text.get("info").json["state"].text == "damaged"
        }
        try Stored.add(Array(exchanges[0..<5]), to: folder("newer.db"))
        _ = try command("sqlite3", [folder("newer.db"), "PRAGMA user_version = 99"])
        let newer = try Browser(folder("newer.db"))
        let info = try newer.get("info").json
        #expect(info["state"].text == "newer")
        #expect(info["help"].text?.contains("version") == true)
        let rows = try newer.get("rows")
        #expect(rows.status == 409)
        #expect(try rows.json["error"]["code"].text == "newer")
        #expect(try newer.get("check?filter=x").status == 200)
    }

    @Test("sends events when it changes, and when something is noted")
    func events() throws {
        let path = folder("traffic.db")
        try Stored.add(Array(exchanges[0..<5]), to: path)
        let browser = try Browser(path)
        let events = try browser.events()
        try events.read(until: "event: head\ndata: {\"head\":5,\"count\":5,")
        #expect(events.text.contains("Content-Type: text/event-stream"))
        try Stored.add(Array(exchanges[5..<9]), to: path)
        try events.read(until: "id: 9\nevent: head\ndata: {\"head\":9,\"count\":9,")
        let id = exchanges[2].id
        _ = try browser.post("exchanges/\(id)/mark", "{\"mark\":\"red\"}")
        try events.read(until: "\"changed\":[\"\(id)\"]")
        _ = try browser.rows("filter=status%3D%3D200")
        try events.read(until: "event: view\ndata: {\"view\":\"")
        try events.read(until: "\"complete\":true")
    }

    @Test("removed exchanges leave a row that says so")
    func removed() throws {
        let path = folder("traffic.db")
        try Stored.add(Array(exchanges[0..<5]), to: path)
        let browser = try Browser(path)
        #expect(try browser.items("count=5") == [4, 3, 2, 1, 0])
        _ = try command("sqlite3", [path, "DELETE FROM exchanges WHERE seq = 3"])
        let rows = try browser.rows("count=5&head=5")["rows"].list
        #expect(rows.contains { $0["gone"].isTrue || $0["seq"].number == 2 })
        #expect(rows.allSatisfy { $0["gone"].isTrue || $0["seq"].number != 3 })
    }
}

extension Exchange {
    /// Exchanges, every third of which has the status 500.
    fileprivate static func many(_ count: Int) -> [Exchange] {
        (0..<count).map { .example($0, status: $0 % 3 == 0 ? 500 : 200) }
    }
}
