// SPDX-License-Identifier: MIT

import StreamTestSupport
import Synchronization
import TaplineModel
import TaplineNATS
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@Suite("The connection of nats")
struct NATSConnectionTests {
    private func failure(_ server: NATSServer, _ others: String) async throws -> String {
        let log = CollectedLog()
        let report = try await server.publish(Exchange.examples(1), others, log: log.log)
        #expect(!report.isSuccess)
        return report.failures.joined(separator: "\n") + log.text
    }

    @Test("is refused with wrong credentials, which no text shows")
    func credentials() async throws {
        let server = try NATSServer("authorization { user: me, password: right }")
        let text = try await failure(server, "user: me, password: hunter2, create: {}")
        #expect(text.contains("cannot connect to nats://127.0.0.1"), "\(text)")
        #expect(text.lowercased().contains("authorization"), "\(text)")
        #expect(text.contains("did not start"), "\(text)")
        #expect(!text.contains("hunter2"))
        let right = "user: me, password: right, create: {}"
        #expect(try await server.publish(Exchange.examples(1), right).isSuccess)
    }

    @Test("gives up sending to a server that receives nothing more")
    func frozen() async throws {
        let server = try NATSServer()
        try await server.publish([])
        let settings = NATSSettings(servers: [server.url], stream: "T", timeout: 100)
        let connection = try NATSConnection(settings, id: "test", log: .none)
        server.freeze(true)
        let failure = Mutex<String?>(nil)
        let thread = try DedicatedThread.start {
            do {
                let publisher = try NATSPublisher(connection, stream: "T", maxPending: 1000)
                let payload = [UInt8](repeating: 120, count: 512 << 10)
                // More than the kernel keeps for a connection.
                for number in 0..<64 {
                    try publisher.publish(
                        subject: Array("traffic.x".utf8) + [0],
                        id: Array("\(number)".utf8) + [0],
                        payload.span
                    )
                }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }
        await wait(for: "an error", within: .seconds(20)) { failure.withLock { $0 != nil } }
        server.freeze(false)
        thread.join()
        connection.close()
    }

    @Test("takes a token")
    func token() async throws {
        let server = try NATSServer("authorization { token: sesame }")
        let right = "token: sesame, create: {}"
        #expect(try await server.publish(Exchange.examples(1), right).isSuccess)
        #expect(!(try await failure(server, "token: hunter2, create: {}").contains("hunter2")))
    }

    @Test("needs a stream that stores the subjects")
    func stream() async throws {
        let server = try NATSServer()
        let none = try await failure(server, "")
        #expect(none.contains("there is no stream 'T'"), "\(none)")
        try await server.publish([])
        let other = try await failure(server, "subject: 'orders.{host}'")
        #expect(other.contains("does not store 'orders.*'; it stores 'traffic.*'"), "\(other)")
    }

    @Test("checks the server's certificate and name")
    func tls() async throws {
        let folder = try TemporaryFolder()
        let script = """
            cd "$0" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
              -keyout ca.key -out ca.pem -subj /CN=test-ca 2>/dev/null &&
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key \
              -out server.csr -subj /CN=localhost 2>/dev/null &&
            printf 'subjectAltName=DNS:localhost' > ext &&
            openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
              -extfile ext -out server.pem 2>/dev/null
            """
        let made = try ChildProcess(
            ["/bin/sh", "-c", script, folder.path],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path],
            input: .nothing
        ).wait()
        try #require(made.isSuccess)
        let server = try NATSServer(
            "tls { cert_file: \"@FOLDER@/server.pem\", key_file: \"@FOLDER@/server.key\" }",
            in: folder
        )
        func run(_ host: String, _ tls: String) async throws -> RunReport {
            let text = "{ servers: 'tls://\(host):\(server.port)', stream: T, create: {}\(tls) }"
            let (factory, problems) = buildSink(text)
            let topology = Topology(
                sources: [Topology.Source(id: "in", ScriptedSource(Exchange.examples(1)))],
                sinks: [Topology.Sink(id: "nats", try #require(factory, "\(problems)"))]
            )
            return await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
        }
        let trusted = ", tls: { authorities: '\(folder("ca.pem"))' }"
        #expect(try await run("localhost", trusted).isSuccess)
        #expect(!(try await run("localhost", "").isSuccess), "an unknown authority")
        #expect(!(try await run("127.0.0.1", trusted).isSuccess), "another host")
        #expect(try await run("127.0.0.1", ", tls: { verify: false }").isSuccess)
    }
}
