// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("The changes of a store")
struct StoreChangesTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func items(_ numbers: some Sequence<Int>) -> [String] {
        numbers.map { "/items/\($0)" }
    }

    private func write(_ numbers: some Sequence<Int>, to sink: any Sink) throws {
        _ = try sink.write(numbers.map { try Written.seal(Exchange.example($0)) })
    }

    /// The next changes, as many as are wanted.
    private func take(
        _ count: Int,
        _ iterator: inout StoreChanges.Iterator
    ) async throws -> [String] {
        var found: [String] = []
        while found.count < count, let change = try await iterator.next() {
            found.append(change.exchange.request.target.description)
        }
        return found
    }

    @Test("are what is written after the call, in order, for each reader")
    func database() async throws {
        let sink = try Written.open(path)
        try write(0..<5, to: sink)
        let store = try Store(path)
        let changes = try store.changes(parts: [])
        let filtered = try store.changes(matching: Filter(#"path ~ "0$""#), every: .milliseconds(1))
        try write(5..<3000, to: sink)
        var (first, second) = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
        #expect(try await take(2995, &first) == items(5..<3000))
        #expect(try await take(10, &second) == items(5..<15))
        var tens = filtered.makeAsyncIterator()
        #expect(try await take(299, &tens) == items(stride(from: 10, to: 3000, by: 10)))
        let path = path
        let writer = Task.detached {
            try await Task.sleep(for: .milliseconds(50))
            try Written.database((3000..<3011).map { Exchange.example($0) }, at: path)
        }
        #expect(try await take(11, &first) == items(3000..<3011))
        #expect(try await take(2, &tens) == items([3000, 3010]))
        try await writer.value
        let key = try #require(try store.key(of: Exchange.example(2990).id))
        var after = try store.changes(after: key).makeAsyncIterator()
        #expect(try await take(20, &after) == items(2991..<3011))
        try sink.close()
    }

    @Test("begin with the first exchange of an empty database")
    func empty() async throws {
        let sink = try Written.open(path)
        var changes = try Store(path).changes(every: .milliseconds(1)).makeAsyncIterator()
        try write(0..<3, to: sink)
        #expect(try await take(3, &changes) == items(0..<3))
        try sink.close()
    }

    @Test("are read of NDJSON, too, from where it ended")
    func recording() async throws {
        let name = "traffic.ndjson"
        try folder.write(try Recorded.bytes(Exchange.examples(3)), to: name)
        let changes = try Store(folder(name)).changes(every: .milliseconds(1))
        let more = try Recorded.bytes((3..<1500).map { Exchange.example($0) })
        try File(folder(name), for: .append).write(more.span)
        var iterator = changes.makeAsyncIterator()
        #expect(try await take(1497, &iterator) == items(3..<1500))
        try FileSystem.move(folder(name), to: folder("old.ndjson"))
        try folder.write(try Recorded.bytes([Exchange.example(7)]), to: name)
        #expect(try await take(1, &iterator) == items([7]))
    }

    @Test("end when their task is cancelled, without waiting for the interval")
    func cancellation() async throws {
        try Written.database(Exchange.examples(2), at: path)
        let changes = try Store(path).changes(every: .seconds(3600))
        let isWaiting = OneShotEvent()
        let task = Task {
            isWaiting.signal()
            var count = 0
            for try await _ in changes { count += 1 }
            return count
        }
        await isWaiting.wait()
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        #expect(try await task.value == 0)
    }

    @Test("end with an error if the store cannot be followed")
    func errors() async throws {
        try folder.write(try Recorded.bytes(Exchange.examples(2), .har), to: "traffic.har")
        var iterator = try Store(folder("traffic.har")).changes().makeAsyncIterator()
        let har = await #expect(throws: StoreError.self) { _ = try await iterator.next() }
        #expect(har?.code == .notFollowed)
        #expect(try await iterator.next() == nil)
        let input = #expect(throws: StoreError.self) { _ = try Store("-").changes() }
        #expect(input?.code == .notFollowed)
    }

    @Test("are used as the page shows")
    func example() async throws {
        try Written.database([Exchange.example(0, status: 500)], at: path)
        var shown: [String] = []
        func print(_ exchange: Exchange) { shown.append(exchange.request.target.description) }
        let path = path
        // Writes until the example, which sees what is written after `changes`, has seen enough.
        let task = Task {
            for round in 1... {
                try Written.database(
                    (1..<4).map { number in
                        var exchange = Exchange.example(number, status: number * 200)
                        exchange.id = Exchange.example(round * 10 + number).id
                        return exchange
                    },
                    at: path
                )
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        // The lines that the page shows:
        let store = try Store(path)
        let failures = try store.changes(matching: Filter("status >= 500"))
        for try await failure in failures {
            print(failure.exchange)
            break
        }
        // End of the lines.
        task.cancel()
        _ = await task.result
        #expect(shown == items([3]))
        try checkPage()
    }

    /// Checks that the page shows the lines of `example`.
    private func checkPage() throws {
        func text(_ file: String) throws -> String {
            let bytes = try TestFiles.bytes(of: "\(TestFiles.repository)/\(file)")
            return String(decoding: bytes, as: UTF8.self)
        }
        let source = try text("Tests/TaplineStoreTests/StoreChangesTests.swift")
        let start = try #require(source.firstRange(of: "// The lines that the page shows:\n"))
        let end = try #require(source.firstRange(of: "        // End of the lines."))
        let lines = source[start.upperBound..<end.lowerBound].replacing("\n        ", with: "\n")
        let page = try text("Sources/Pipeline/TaplineStore/README.md")
        #expect(page.contains("```swift\n\(lines.dropFirst(8))```\n"))
    }
}
