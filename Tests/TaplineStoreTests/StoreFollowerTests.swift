// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("A follower of stores")
struct StoreFollowerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func targets(_ follower: StoreFollower) throws -> [String] {
        var found: [String] = []
        try follower.next { found.append($0.exchange.request.target.description) }
        return found
    }

    private func items(_ numbers: [Int]) -> [String] { numbers.map { "/items/\($0)" } }

    private func append(_ bytes: [UInt8], to name: String) throws {
        try File(folder(name), for: .append).write(bytes.span)
    }

    @Test("gives the newest rows first, then what another connection writes")
    func database() throws {
        let path = folder("traffic.db")
        let sink = try Written.open(path)
        func write(_ numbers: [Int]) throws {
            _ = try sink.write(numbers.map { try Written.seal(Exchange.example($0)) })
        }
        try write(Array(0..<30))
        let set = try StoreSet([path])
        let all = try set.follow(StoreQuery(parts: []), newest: 3)
        let filtered = try set.follow(StoreQuery(try Filter(#"path ~ "[05]$""#)), newest: 2)
        #expect(try targets(all) == items([27, 28, 29]))
        #expect(try targets(filtered) == items([20, 25]))
        #expect(try targets(all).isEmpty)
        try write([30, 31])
        #expect(try targets(all) == items([30, 31]))
        try write(Array(32..<5000))
        #expect(try targets(all) == items(Array(32..<5000)))
        #expect(try targets(filtered) == items(Array(stride(from: 30, to: 5000, by: 5))))
        let after = try set.key(of: Exchange.example(4996).id)
        let rest = try set.follow(StoreQuery(after: after, parts: []), newest: 1)
        #expect(try targets(rest) == items([4997, 4998, 4999]))
        try sink.close()
    }

    @Test("goes on if rows are removed, also all of them")
    func removed() throws {
        let path = folder("traffic.db")
        try Written.database(Exchange.examples(10), at: path)
        let follower = try StoreSet([path]).follow(StoreQuery(), newest: 0)
        #expect(try targets(follower).isEmpty)
        let connection = try SQLiteConnection(path: path)
        try connection.execute("DELETE FROM exchanges WHERE seq > 5")
        #expect(try targets(follower).isEmpty)
        try Written.database([Exchange.example(20)], at: path)
        #expect(try targets(follower) == items([20]))
        try connection.execute("DELETE FROM exchanges")
        #expect(try targets(follower).isEmpty)
        try Written.database([Exchange.example(21)], at: path)
        #expect(try targets(follower) == items([21]))
        try connection.close()
    }

    @Test("gives the rows that are written before it sees that all others were removed")
    func restarted() throws {
        let path = folder("traffic.db")
        try Written.database(Exchange.examples(10), at: path)
        let follower = try StoreSet([path]).follow(StoreQuery(), newest: 0)
        #expect(try targets(follower).isEmpty)
        let connection = try SQLiteConnection(path: path)
        for numbers in [20..<23, 30..<35] {
            try connection.execute("DELETE FROM exchanges")
            try Written.database(numbers.map { Exchange.example($0) }, at: path)
            #expect(try targets(follower) == items(Array(numbers)))
        }
        // Numbers go on if the first rows or the last ones are removed.
        try connection.execute("DELETE FROM exchanges WHERE seq in (1, 5)")
        #expect(try targets(follower).isEmpty)
        try connection.close()
    }

    @Test("reads the database that takes the place of another one")
    func replaced() throws {
        let path = folder("traffic.db")
        try Written.database(Exchange.examples(5), at: path)
        let follower = try StoreSet([path]).follow(StoreQuery(), newest: 1)
        #expect(try targets(follower) == items([4]))
        try FileSystem.move(path, to: folder("old.db"))
        #expect(try targets(follower).isEmpty)
        try folder.write("", to: "traffic.db")
        #expect(try targets(follower).isEmpty)
        try Written.database([Exchange.example(7), Exchange.example(8)], at: folder("new.db"))
        try FileSystem.move(folder("new.db"), to: path)
        #expect(try targets(follower) == items([7, 8]))
        #expect(try targets(follower).isEmpty)
    }

    @Test("reads what is appended to NDJSON, line by line, and a file in its place")
    func recording() throws {
        let path = folder("traffic.ndjson")
        try folder.write(try Recorded.bytes(Exchange.examples(5)), to: "traffic.ndjson")
        let follower = try StoreSet([path]).follow(StoreQuery(), newest: 2)
        #expect(try targets(follower) == items([3, 4]))
        let more = try Recorded.bytes([Exchange.example(5), Exchange.example(6)])
        let middle = more.count * 3 / 4
        try append(Array(more[..<middle]), to: "traffic.ndjson")
        #expect(try targets(follower) == items([5]))
        try append(Array(more[middle...]), to: "traffic.ndjson")
        #expect(try targets(follower) == items([6]))
        // As a sink that rotates does.
        try append(try Recorded.bytes([Exchange.example(7)]), to: "traffic.ndjson")
        try FileSystem.move(path, to: folder("traffic.1.ndjson"))
        #expect(try targets(follower) == items([7]))
        try folder.write(try Recorded.bytes([Exchange.example(8)]), to: "traffic.ndjson")
        #expect(try targets(follower) == items([8]))
        try folder.write("", to: "traffic.ndjson")
        #expect(try targets(follower).isEmpty)
        try append(try Recorded.bytes([Exchange.example(9)]), to: "traffic.ndjson")
        #expect(try targets(follower) == items([9]))
    }

    @Test("reads what is appended to NDJSON just before another file takes its place")
    func rotated() throws {
        let path = folder("traffic.ndjson")
        try folder.write(try Recorded.bytes(Exchange.examples(3)), to: "traffic.ndjson")
        let recording = try FollowedRecording(path, StoreQuery()) { _ in }
        var found: [String] = []
        try recording.begin(newest: 1) { found.append($0.exchange.request.target.description) }
        try append(try Recorded.bytes([Exchange.example(3)]), to: "traffic.ndjson")
        try FileSystem.move(path, to: folder("traffic.1.ndjson"))
        try folder.write(try Recorded.bytes([Exchange.example(4)]), to: "traffic.ndjson")
        try recording.readReplaced { found.append($0.exchange.request.target.description) }
        #expect(found == items([2, 3, 4]))
    }

    @Test("merges what several stores have by start time")
    func several() throws {
        try Written.database([Exchange.example(1), Exchange.example(3)], at: folder("a.db"))
        try folder.write(
            try Recorded.bytes([Exchange.example(0), Exchange.example(2)]),
            to: "b.ndjson"
        )
        let set = try StoreSet([folder("a.db"), folder("b.ndjson")])
        let follower = try set.follow(StoreQuery(), newest: 3)
        #expect(try targets(follower) == items([1, 2, 3]))
        try Written.database([Exchange.example(4)], at: folder("a.db"))
        try append(try Recorded.bytes([Exchange.example(5)]), to: "b.ndjson")
        #expect(try targets(follower) == items([4, 5]))
        let key = try set.key(of: Exchange.example(3).id)
        let error = #expect(throws: StoreError.self) {
            _ = try set.follow(StoreQuery(after: key))
        }
        #expect(error?.code == .notFollowed)
    }

    @Test("refuses HAR and standard input")
    func refused() throws {
        try folder.write(try Recorded.bytes(Exchange.examples(2), .har), to: "traffic.har")
        let follower = try StoreSet([folder("traffic.har")]).follow(StoreQuery())
        let har = #expect(throws: StoreError.self) { try follower.next { _ in } }
        #expect(har?.code == .notFollowed)
        let input = #expect(throws: StoreError.self) {
            _ = try StoreSet(["-"]).follow(StoreQuery())
        }
        #expect(input?.code == .notFollowed)
    }
}
