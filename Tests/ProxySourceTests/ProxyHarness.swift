// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineSystem
import TaplineTesting

@testable import ProxySource

/// A running proxy, and its records.
final class ProxyHarness: Sendable {
    let address: SocketAddress
    /// The addresses of the other proxies of the pipeline.
    let others: [SocketAddress]
    private let pipeline: Pipeline
    private let run: Task<RunReport, Never>
    private let sink: RecordingSink

    private init(
        _ addresses: [SocketAddress],
        _ pipeline: Pipeline,
        _ run: Task<RunReport, Never>,
        _ sink: RecordingSink
    ) {
        address = addresses[0]
        others = Array(addresses.dropFirst())
        self.pipeline = pipeline
        self.run = run
        self.sink = sink
    }

    /// Starts a proxy, by default on a free port, with others in the same pipeline.
    ///
    /// Returns when all of them listen.
    static func start(
        _ settings: ProxySettings = ProxySettings(),
        on listener: SocketAddress = SocketAddress(.loopbackV4, port: 0),
        beside others: [ProxySettings] = [],
        when condition: Filter? = nil,
        stages: [Topology.Stage] = [],
        captureMaxBytes: Int = 1 << 20,
        memory: Int = 512 << 20,
        drainTimeout: Microseconds = Microseconds(5_000_000)
    ) async -> ProxyHarness {
        let sink = RecordingSink(wantsActive: true)
        let (listening, continuation) = AsyncStream.makeStream(of: (String, SocketAddress).self)
        let ids = ["proxy"] + others.indices.map { "other\($0)" }
        let sources = zip(ids, [settings] + others).map { id, settings in
            var settings = settings
            let isFirst = id == ids.first
            settings.listeners = [isFirst ? listener : SocketAddress(.loopbackV4, port: 0)]
            settings.threads = settings.threads ?? 2
            return Topology.Source(
                id: id,
                ProxySource(settings: settings),
                when: condition,
                captureMaxBytes: captureMaxBytes
            )
        }
        let topology = Topology(
            sources: sources,
            stages: stages,
            sinks: [Topology.Sink(id: "kept", sink)],
            memory: memory,
            drainTimeout: drainTimeout
        )
        let pipeline = Pipeline(
            topology,
            listening: { id, point in
                if let address = point.addresses.first.flatMap(SocketAddress.init) {
                    continuation.yield((id, address))
                }
            },
            now: { Timestamp(microseconds: 0) }
        )
        let run = Task { await pipeline.run() }
        var iterator = listening.makeAsyncIterator()
        var addresses: [String: SocketAddress] = [:]
        while addresses.count < ids.count, let (id, address) = await iterator.next() {
            addresses[id] = address
        }
        let found = ids.map { addresses[$0] ?? SocketAddress(.loopbackV4, port: 0) }
        return ProxyHarness(found, pipeline, run, sink)
    }

    /// Stops the proxy, and lets the exchanges in progress finish.
    func stop() async -> (report: RunReport, exchanges: [Exchange]) {
        pipeline.stop()
        let report = await run.value
        return (report, sink.log.exchanges)
    }

    /// The exchanges that were reported to have begun.
    var opened: Set<ExchangeID> { Set(sink.log.opened.map(\.id)) }

    /// Runs curl through the proxy, and returns its output.
    func curl(_ arguments: String...) async throws -> String {
        try await command("curl", ["-sS", "-m", "20", "-x", "http://\(address)"] + arguments)
    }
}

/// Runs a program and returns its standard output.
func command(_ name: String, _ arguments: [String]) async throws -> String {
    // Its errors are discarded. Foundation's Process crashes if many files are open.
    let words = ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>/dev/null", name] + arguments
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            let text = Result {
                try ChildProcess.run(
                    words,
                    environment: ProcessEnvironment.variables,
                    seconds: 120,
                    maxBytes: 1 << 28
                ).text
            }
            continuation.resume(with: text)
        }
    }
}

/// Sends bytes on one connection and returns the whole response.
///
/// **Shape**: `then` is Python code that runs after the bytes are sent; `s` is the socket, `read()`
/// reads to the end.
func exchangeBytes(
    with address: SocketAddress,
    _ text: String,
    then: String = ""
) async throws -> String {
    let script = """
        import socket, struct, sys, time
        s = socket.create_connection(("127.0.0.1", \(address.port)), 20)
        def read():
            try:
                while data := s.recv(65536): sys.stdout.buffer.write(data)
            except ConnectionResetError: sys.stdout.write("(reset)")
        s.sendall(sys.argv[1].encode())
        \(then.isEmpty ? "s.shutdown(socket.SHUT_WR)\nread()" : then)
        """
    return try await command("python3", ["-c", script, text])
}
