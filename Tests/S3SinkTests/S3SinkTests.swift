// SPDX-License-Identifier: MIT

import Synchronization
import TaplineCodings
import TaplineConfig
import TaplineDelivery
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import S3Sink

@Suite("The sink s3", .timeLimit(.minutes(1)))
struct S3SinkTests {
    private static let keys = [
        "AWS_ACCESS_KEY_ID": "planted-id", "AWS_SECRET_ACCESS_KEY": "planted",
    ]

    private static func settings(_ url: String, _ folder: String) throws -> S3Settings {
        var settings = S3Settings(
            endpoint: try #require(DeliveryEndpoint(url: url)),
            bucket: "traffic",
            credentials: S3Credentials(accessKey: "a", secretKey: "b", sessionToken: nil)
        )
        settings.folder = folder
        settings.prefix = "shop/"
        settings.partBytes = 1000
        return settings
    }

    private static func open(
        _ settings: S3Settings,
        now: @escaping @Sendable () -> Int64 = { 0 }
    ) throws -> any Sink {
        try S3SinkFactory(settings: settings).open(context(now))
    }

    private static func context(_ now: @escaping @Sendable () -> Int64 = { 0 }) -> SinkContext {
        SinkContext(
            id: "out",
            now: { Timestamp(microseconds: 1_795_183_380_000_000 + now()) }
        )
    }

    private static func records(_ numbers: Range<Int>) -> [Record] {
        var chain = RecordChain()
        return numbers.compactMap {
            if case .sealed(let record) = chain.seal(.example($0)) { record } else { nil }
        }
    }

    private static func names(_ folder: String) throws -> [String] {
        try FileSystem.names(in: folder).filter { $0 != "lock" }.sorted()
    }

    @Test("stores a small file in one request, under a key with the date")
    func small() throws {
        let server = try ReceivingServer()
        let folder = try TemporaryFolder()
        var settings = try Self.settings(server.url, folder("spool"))
        settings.coding = .gzip
        settings.partBytes = 100_000
        let sink = try Self.open(settings)
        _ = try sink.write(Self.records(0..<3))
        try sink.flush()
        #expect(try Self.names(folder("spool")).map { $0.hasSuffix(".ndjson.open") } == [true])
        try sink.close()
        #expect(try Self.names(folder("spool")) == [])
        let received = try server.received
        let id = "\(Exchange.example(0).id)"
        let stamp = "20261120T140300Z"
        let begin = "PUT /traffic/shop/2026/11/20/\(stamp)-\(id)-"
        #expect(
            received.map { $0.line.hasPrefix(begin) && $0.line.hasSuffix("-1.ndjson.gz HTTP/1.1") }
                == [true]
        )
        var decoded: [UInt8] = []
        try ContentDecoder(.gzip).decodeWhole(received[0].bytes.span, appendingTo: &decoded)
        #expect(decoded.count { $0 == 0x0A } == 3)
        #expect(received[0].fields["authorization"]?.hasPrefix("AWS4-HMAC-SHA256 ") == true)
    }

    @Test("continues an upload in parts where it stopped, in another run too")
    func parts() throws {
        let begun = #"{"body": "<UploadId>u1</UploadId>"}"#
        let part = #"{"fields": {"ETag": "e"}}"#
        let server = try ReceivingServer(
            "[\(begun), \(part), {\"status\": 503}, {\"status\": 500}]"
        )
        let folder = try TemporaryFolder()
        let settings = try Self.settings(server.url, folder("spool"))
        let sink = try Self.open(settings)
        _ = try sink.write(Self.records(0..<6))
        #expect(throws: S3SinkError.self) { try sink.close() }
        #expect(try Self.names(folder("spool")).map { $0.hasSuffix(".upload") } == [false, true])
        let size = try #require(
            try FileSystem.status(of: folder("spool") + "/" + Self.names(folder("spool"))[0])
        ).size
        let list = "<Part><PartNumber>1</PartNumber><ETag>e</ETag><Size>1000</Size></Part>"
        let later = try ReceivingServer(
            "[{\"body\": \"\(list)\"}, "
                + Array(repeating: part, count: (size - 1) / 1000).joined(separator: ", ")
                + ", {\"body\": \"<ETag>all</ETag>\"}, {}]"
        )
        let again = try Self.open(try Self.settings(later.url, folder("spool")))
        try again.flush()
        try again.close()
        #expect(try Self.names(folder("spool")) == [])
        let lines = try later.received.map(\.line)
        #expect(
            lines.first?.contains("GET ") == true && lines.first?.contains("uploadId=u1") == true
        )
        #expect(lines.dropFirst().first?.contains("partNumber=2&") == true)
        #expect(
            !lines.contains { $0.contains("partNumber=1&") }
                && lines.last?.hasPrefix("POST") == true
        )
        let stored = try later.received.filter { $0.line.hasPrefix("PUT") }.map(\.body.utf8.count)
        #expect(stored.reduce(0, +) == size - 1000)
    }

    @Test("goes on while the store fails, until too many files wait")
    func failing() async throws {
        let server = try ReceivingServer(
            #"[{"status": 403, "body": "<Error><Code>AccessDenied</Code></Error>"}]"#
        )
        let folder = try TemporaryFolder()
        var settings = try Self.settings(server.url, folder("spool"))
        settings.maxBytes = 1024
        settings.maxFiles = 2
        settings.partBytes = 100_000
        let sink = try Self.open(settings)
        _ = try sink.write(Self.records(0..<4))
        _ = try sink.write(Self.records(4..<8))
        var message = ""
        await wait(for: "the sink to say why it fails") {
            do {
                _ = try sink.write(Self.records(8..<9))
            } catch {
                message = "\(error)"
            }
            return message.contains("403 (AccessDenied)")
        }
        #expect(message.hasPrefix("2 files wait until they are stored: "))
        #expect(try Self.names(folder("spool")).count == 2)
        #expect(throws: S3SinkError.self) { try sink.close() }
        #expect(try Self.names(folder("spool")).count == 2, "the next run stores them")
    }

    @Test("a file that is always refused is set aside after five times, which the outcome shows")
    func refusedFile() async throws {
        let server = try ReceivingServer(#"[{"refuse": [400, "/items/0\""]}]"#)
        let folder = try TemporaryFolder()
        var settings = try Self.settings(server.url, folder("spool"))
        settings.maxBytes = 1
        settings.partBytes = 100_000
        let factory = S3SinkFactory(settings: settings)
        let sink = try factory.open(Self.context())
        #expect(factory.metrics == [Metric("set aside files", of: "traffic", count: 0)])
        for number in 0..<6 {
            _ = try sink.write(Self.records(number..<number + 1))
            try sink.flush()
            await wait(for: "file \(number)") {
                (try? server.received.contains { $0.body.contains("/items/\(number)\"") }) ?? false
            }
            let isLast = number == 5
            await wait(for: "the other files to be stored") {
                (try? Self.names(folder("spool")))?.count == 1 || isLast
            }
        }
        await wait(for: "the file to be set aside") {
            (try? Self.names(folder("spool"))) == ["refused"]
        }
        let refused = folder("spool/refused")
        await wait(for: "the file to be counted") { factory.metrics[0].count == 1 }
        let message = "not stored: 1 file in '\(refused)', which the store has refused"
        let first = #expect(throws: S3SinkError.self) { try sink.close() }
        #expect(first?.description == message)
        // Also if the sink was opened again since.
        let again = try factory.open(Self.context())
        let second = #expect(throws: S3SinkError.self) { try again.close() }
        #expect(second?.description == message)
        #expect(try server.accepted.count == 5)
        let aside = try FileSystem.names(in: folder("spool/refused"))
        #expect(aside.count == 1)
        let text = try folder.read("spool/refused/\(aside.first ?? "")")
        #expect(text.contains("/items/0\""))
        #expect(try FileSystem.status(of: folder("spool/refused"))?.permissions == 0o700)
    }

    @Test("parts that may not be removed keep no file waiting, and are tried again in the next run")
    func orphan() async throws {
        let server = try ReceivingServer(#"[{}, {"status": 403}, {}]"#)
        let folder = try TemporaryFolder()
        let spool = folder("spool")
        try FileSystem.makeFolder(spool)
        try folder.write("u9", to: "spool/20260101T000000Z-x.ndjson.upload")
        try folder.write("{}\n", to: "spool/20260101T000001Z-x.ndjson")
        var settings = try Self.settings(server.url, spool)
        settings.partBytes = 100_000
        let sink = try Self.open(settings)
        await wait(for: "the refusal") { (try? server.received.count) == 2 }
        _ = try sink.write(Self.records(0..<2))
        try sink.close()
        #expect(try Self.names(spool) == ["20260101T000000Z-x.ndjson.upload"])
        #expect(try server.accepted.filter { $0.line.hasPrefix("PUT") }.count == 2)
        try Self.open(settings).close()
        #expect(try Self.names(spool) == [])
        let aborted = try server.received.filter { $0.line.hasPrefix("DELETE") }
        #expect(aborted.map(\.status) == [403, 200])
    }

    @Test("a file is stored when it is old enough, although nothing else comes")
    func age() async throws {
        let server = try ReceivingServer()
        let folder = try TemporaryFolder()
        var settings = try Self.settings(server.url, folder("spool"))
        settings.partBytes = 100_000
        settings.maxAge = Microseconds(50_000)
        let sink = try Self.open(settings) { SteadyClock.microseconds }
        _ = try sink.write(Self.records(0..<2))
        await wait(for: "the file to be stored") { (try? server.accepted.count) == 1 }
        await wait(for: "the file to be removed") { (try? Self.names(folder("spool"))) == [] }
        try sink.close()
        #expect(try server.received.count == 1)
    }

    @Test("a server that does not answer holds up neither writing nor a flush")
    func silent() async throws {
        let server = try ReceivingServer(#"[{"wait": 60}]"#)
        let folder = try TemporaryFolder()
        var settings = try Self.settings(server.url, folder("spool"))
        settings.maxBytes = 1
        settings.maxFiles = 3
        settings.partBytes = 100_000
        settings.connection.timeout = Microseconds(100_000)
        let sink = try Self.open(settings)
        for number in 0..<3 {
            _ = try sink.write(Self.records(number..<number + 1))
            try sink.flush()
        }
        #expect(throws: SinkError.self) { try sink.write(Self.records(3..<4)) }
        #expect(try Self.names(folder("spool")).count == 3)
        #expect(throws: S3SinkError.self) { try sink.close() }
        #expect(try Self.names(folder("spool")).count == 3, "the next run stores them")
    }

    @Test("a flush succeeds if the file cannot be compressed, and stores it as it is")
    func uncompressed() throws {
        let server = try ReceivingServer()
        let folder = try TemporaryFolder()
        var settings = try Self.settings(server.url, folder("spool"))
        settings.maxBytes = 1
        settings.partBytes = 100_000
        settings.coding = .gzip
        let sink = try Self.open(settings)
        _ = try sink.write(Self.records(0..<2))
        let name = try #require(try Self.names(folder("spool")).first)
        // The compressed file cannot be created, as on a full disk.
        let compressed = String(name.dropLast(5)) + ".gz.tmp"
        try FileSystem.makeFolder(folder("spool") + "/" + compressed)
        try sink.flush()
        try sink.close()
        let received = try server.received
        #expect(received.map { $0.body.split(separator: "\n").count } == [2])
        #expect(received.first?.line.contains(".ndjson HTTP/1.1") == true)
    }

    @Test("a folder that cannot be synced fails writes until it can; each record is stored once")
    func failingFolder() async throws {
        let server = try ReceivingServer()
        let folder = try TemporaryFolder()
        var settings = try Self.settings(server.url, folder("spool"))
        settings.maxBytes = 1
        settings.partBytes = 100_000
        let isFailing = Atomic<Bool>(true)
        let sink = try S3Sink(settings, Self.context(), S3Figures()) { path in
            if isFailing.load(ordering: .relaxed) { throw FileError("sync", path, code: 5) }
            try FileSystem.syncFolder(path)
        }
        // No file can begin.
        #expect(throws: SinkError.self) { try sink.write(Self.records(0..<2)) }
        #expect(try Self.names(folder("spool")) == [])
        isFailing.store(false, ordering: .relaxed)
        _ = try sink.write(Self.records(0..<2))
        isFailing.store(true, ordering: .relaxed)
        // The file cannot be finished.
        for _ in 0..<3 {
            #expect(throws: SinkError.self) { try sink.write(Self.records(2..<3)) }
        }
        isFailing.store(false, ordering: .relaxed)
        _ = try sink.write(Self.records(2..<3))
        isFailing.store(true, ordering: .relaxed)
        let error = #expect(throws: S3SinkError.self) { try sink.close() }
        #expect(error?.description == "\(FileError("sync", folder("spool"), code: 5))")
        #expect(try Self.names(folder("spool")) == [])
        let bodies = try server.accepted.map(\.body)
        #expect(bodies.map { $0.split(separator: "\n").count } == [2, 1])
    }

    @Test("files that begin with the same exchange in the same second have different names")
    func sameExchange() throws {
        let folder = try TemporaryFolder()
        let id = Exchange.example(0).id
        let time = Timestamp(microseconds: 1_795_183_380_000_000)
        var names: Set<String> = []
        for spool in ["one", "two"] {
            let files = try SpoolFolder(folder(spool), nil)
            for _ in 0..<2 {
                let writer = try files.begin(id, at: time)
                try writer.append(Array("{}\n".utf8).span)
                try files.rename(writer)
            }
            try names.formUnion(files.finished().map(\.name))
        }
        #expect(names.count == 4)
    }

    @Test("a file that was not finished never replaces one of the same name")
    func sameName() throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("spool"))
        try folder.write("{}\n", to: "spool/20260101T000000Z-x.ndjson")
        try folder.write("{}\n{}\n", to: "spool/20260101T000000Z-x.ndjson.open")
        let files = try SpoolFolder(folder("spool"), nil)
        #expect(try files.recover() == [])
        let sizes = try files.finished().map { try FileSystem.status(of: $0.path)?.size }
        #expect(Set(sizes) == [3, 6])
    }

    @Test("finishes what a run that was killed has left, without half of a line")
    func recovered() throws {
        let server = try ReceivingServer()
        let folder = try TemporaryFolder()
        let spool = folder("spool")
        try FileSystem.makeFolder(spool)
        try folder.write("{\"a\":1}\n{\"b\":", to: "spool/20260101T000000Z-x.ndjson.open")
        try folder.write("", to: "spool/20260101T000001Z-x.ndjson.open")
        try folder.write("torn", to: "spool/20260101T000002Z-x.ndjson.gz.tmp")
        try folder.write("u", to: "spool/20260101T000002Z-x.ndjson.upload.tmp")
        try folder.write("{}\n", to: "spool/20260101T000003Z-x.ndjson")
        try folder.write("u9", to: "spool/20260101T000004Z-x.ndjson.upload")
        let sink = try Self.open(try Self.settings(server.url, spool))
        #expect(throws: S3SinkError.self) { try Self.open(try Self.settings(server.url, spool)) }
        try sink.close()
        #expect(try Self.names(spool) == [])
        let received = try server.received
        #expect(
            received.filter { $0.line.hasPrefix("PUT") }.map(\.body) == ["{\"a\":1}\n", "{}\n"]
        )
        #expect(
            received.contains { $0.line.hasPrefix("DELETE") && $0.line.contains("uploadId=u9") }
        )
        // The folder is free again.
        try Self.open(try Self.settings(server.url, spool)).close()
    }

    @Test("meets the requirements for sinks, and never logs its keys")
    func conforms() async throws {
        let server = try ReceivingServer()
        let violations = await Conformance.violations(
            of: .s3,
            options: "{ bucket: traffic, endpoint: '\(server.url)', folder: spool }",
            settings: ConformanceSettings(
                environment: Self.keys,
                failing: [
                    "{ bucket: traffic, endpoint: 'http://127.0.0.1:9', folder: spool }",
                    "{ bucket: A, endpoint: 'http://127.0.0.1:9', folder: spool }",
                    "{ bucket: traffic, folder: spool, access_key_env: NONE }",
                    "{ bucket: traffic, folder: spool, part_size: 1MiB }",
                    "{ bucket: traffic, folder: spool, endpoint: 'http://127.0.0.1:9/path' }",
                ],
                secrets: ["planted"]
            )
        )
        #expect(violations == [])
    }
}
