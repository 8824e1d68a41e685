// SPDX-License-Identifier: MIT

import Glibc
import TaplineSystem
import Testing

/// A real `nats-server` with JetStream on a loopback port, with its messages in a temporary folder.
package final class NATSServer: @unchecked Sendable {
    /// The port; 0 before the first start.
    package private(set) var port = 0
    package let folder: TemporaryFolder
    private let settings: String
    private var process: ChildProcess?

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - settings: Further lines of its configuration; `@FOLDER@` is its folder.
    ///   - folder: The folder for its files.
    /// - Throws: `FileError` if it cannot be started.
    package init(_ settings: String = "", in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.settings = settings.replacing("@FOLDER@", with: self.folder.path)
        try start()
    }

    deinit { kill() }

    package var url: String { "nats://127.0.0.1:\(port)" }

    /// The options of both plugins for this server.
    package func options(_ others: String = "") -> String {
        "{ servers: '\(url)', stream: T\(others.isEmpty ? "" : ", \(others)") }"
    }

    /// Starts it, also again on the same port with the same messages, and waits until it serves.
    package func start() throws {
        let configuration = """
            listen: 127.0.0.1:\(port == 0 ? -1 : port)
            log_file: "\(folder("server.log"))"
            jetstream { store_dir: "\(folder("store"))", max_mem: 64M, max_file: 256M }
            \(settings)
            """
        let path = try folder.write(configuration, to: "server.conf")
        process = try ChildProcess(
            ["/usr/sbin/nats-server", "-c", path],
            environment: ["PATH": "/usr/bin:/bin"],
            input: .nothing
        )
        let isReady = blockingWait(for: "a server") { log.contains("Server is ready") }
        guard isReady else { return kill() }
        let line = log.split(separator: "\n").last { $0.contains("Listening for client") }
        port = line?.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    private var log: String { (try? folder.read("server.log")) ?? "" }

    /// Stops it, so that it receives nothing and its connections stay, or lets it go on.
    package func freeze(_ isFrozen: Bool) {
        process?.send(signal: isFrozen ? SIGSTOP : SIGCONT)
    }

    /// Kills it with signal 9.
    package func kill() {
        guard let running = process.take() else { return }
        running.end()
        _ = try? running.wait()
        try? FileSystem.remove(folder("server.log"))
    }
}
