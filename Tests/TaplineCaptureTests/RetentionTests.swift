// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// How long captured exchanges are kept, in memory and on disk.
@Suite struct RetentionTests {
    /// Returns a record with a body of a given size that began at a given second.
    private func record(_ second: Int64, size: Int = 0) throws -> Record {
        let started = Timestamp(microseconds: second * 1_000_000)
        var exchange = Exchange(
            id: ExchangeID(started: started, random: UInt64(second), 0),
            started: started
        )
        exchange.request.body = Body(Array(repeating: 0, count: size))
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else {
            throw SinkError(.refused, "no record")
        }
        return record
    }

    /// Returns the start times of the entries in a store.
    private func seconds(_ store: MemoryStore) -> [Int64] {
        store.entries.map { $0.started.microseconds / 1_000_000 }
    }

    @Test func theOldestAreRemovedWhenThereAreTooMany() throws {
        let store = MemoryStore(.init(entries: 3)) { Timestamp(microseconds: 0) }
        try store.add((1...5).map { try record($0) })
        #expect(seconds(store) == [5, 4, 3])
    }

    @Test func theOldestAreRemovedWhenTheyAreTooLarge() throws {
        let store = MemoryStore(.init(bytes: 100_000)) { Timestamp(microseconds: 0) }
        for second in 1...5 { store.add([try record(Int64(second), size: 40_000)]) }
        #expect(seconds(store) == [5, 4])
        store.add([try record(6, size: 200_000)])
        #expect(seconds(store).isEmpty)
        store.add([try record(7)])
        #expect(seconds(store) == [7])
    }

    @Test func removedRecordsAreReleased() throws {
        let store = MemoryStore(.init(entries: 1)) { Timestamp(microseconds: 0) }
        weak var first: Record?
        do {
            let record = try record(1)
            first = record
            store.add([record])
        }
        #expect(first != nil)
        store.add([try record(2)])
        #expect(first == nil)
    }

    @Test func theOldestAreRemovedWhenTheyAreTooOld() throws {
        let clock = Atomic<Int64>(0)
        let store = MemoryStore(.init(age: .seconds(10))) {
            Timestamp(microseconds: clock.load(ordering: .relaxed) * 1_000_000)
        }
        try store.add((1...5).map { try record($0) })
        clock.store(13, ordering: .relaxed)
        #expect(seconds(store) == [5, 4, 3])
        clock.store(16, ordering: .relaxed)
        #expect(seconds(store).isEmpty)
    }

    @Test func theFirstLimitThatIsReachedApplies() throws {
        let limits = MemoryStore.Limits(entries: 4, bytes: 100_000, age: .seconds(10))
        let store = MemoryStore(limits) { Timestamp(microseconds: 12_000_000) }
        try store.add((1...5).map { try record($0) })
        #expect(seconds(store) == [5, 4, 3, 2])
        store.add([try record(6, size: 97_000)])
        #expect(seconds(store) == [6, 5])
    }

    @Test func eachRunBeginsEmptyUnlessItContinues() async throws {
        let origin = try Origin()
        for (keeps, counts) in [(false, [1, 1]), (true, [1, 2])] {
            let tap = Tap(limits: .init(keepsAcrossRuns: keeps))
            for count in counts {
                try tap.start()
                let session = URLSession(configuration: .default.tapped(by: tap))
                _ = try await session.data(from: origin.path("/hello"))
                tap.stop()
                #expect(tap.entries.count == count)
            }
        }
    }

    /// Writes a configuration into a folder, with one sink.
    private func file(_ folder: String, sink: String) throws -> URL {
        let file = URL(fileURLWithPath: "\(folder)/app.yaml")
        try "version: 1\nsources: [url_protocol: { shared: false }]\nsinks:\n  - \(sink)\n"
            .write(to: file, atomically: true, encoding: .utf8)
        return file
    }

    @Test func filesContainEndedExchangesAfterAFlush() async throws {
        let origin = try Origin()
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let tap = Tap(configuration: try file(folder, sink: "ndjson: { path: traffic.ndjson }"))
        #expect(await tap.flush())
        try tap.start()
        defer { tap.stop() }
        let session = URLSession(configuration: .default.tapped(by: tap))
        for count in 1...5 {
            _ = try await session.data(from: origin.path("/hello"))
            #expect(await tap.flush())
            let text = try String(contentsOfFile: "\(folder)/traffic.ndjson", encoding: .utf8)
            #expect(text.split(separator: "\n").count == count && text.hasSuffix("\n"))
            #expect(tap.entries.count { $0.state == .success } == count)
        }
    }

    @Test func filesAreCompleteWhenTheProgramEndsWithoutStop() async throws {
        let origin = try Origin()
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        var variables = ProcessEnvironment.variables
        variables["TAPLINE_TEST_FILE"] =
            try file(folder, sink: "ndjson: { path: traffic.ndjson }").path
        variables["TAPLINE_TEST_URL"] = origin.path("/hello").absoluteString
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let report = try ChildProcess.run(
            [program, "--testing-library", "swift-testing", "--filter", "anAppThatEndsItself"],
            environment: variables,
            seconds: 120
        )
        let isSuccess = report.isSuccess
        #expect(isSuccess, "\(report.text)")
        let text = try String(contentsOfFile: "\(folder)/traffic.ndjson", encoding: .utf8)
        #expect(text.split(separator: "\n").count == 20 && text.hasSuffix("}\n"))
    }

    /// The program of the previous test: it ends in the middle of its work.
    @Test(
        .enabled(
            if: ProcessEnvironment.variables["TAPLINE_TEST_FILE"] != nil,
            "the test before this one runs it, in a process of its own"
        )
    )
    func anAppThatEndsItself() async throws {
        let variables = ProcessEnvironment.variables
        let path = try #require(variables["TAPLINE_TEST_FILE"])
        let address = try #require(variables["TAPLINE_TEST_URL"].flatMap { URL(string: $0) })
        try Tapline.start(configuration: URL(fileURLWithPath: path))
        let session = URLSession(configuration: .default.tapped())
        for _ in 0..<20 { _ = try await session.data(from: address) }
        exit(EXIT_SUCCESS)
    }

    /// Another process reads the database while the app writes it.
    @Test func anotherProgramReadsWhileTheAppWrites() async throws {
        let origin = try Origin()
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let tap = Tap(configuration: try file(folder, sink: "sqlite: { path: traffic.db }"))
        try tap.start()
        defer { tap.stop() }
        let session = URLSession(configuration: .default.tapped(by: tap))
        for count in 1...5 {
            _ = try await session.data(from: origin.path("/hello"))
            #expect(await tap.flush())
            // More requests are in progress while it is read.
            async let more = session.data(from: origin.path("/status/404"))
            let report = try ChildProcess.run(
                [
                    "/usr/bin/sqlite3", "\(folder)/traffic.db",
                    "SELECT count(*) FROM exchanges WHERE status = 200",
                ],
                environment: ProcessEnvironment.variables
            )
            #expect(report.isSuccess && report.text == "\(count)\n")
            _ = try await more
        }
    }
}
