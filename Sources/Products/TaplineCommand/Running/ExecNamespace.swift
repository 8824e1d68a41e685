// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCommandLine
internal import TaplineOperations
internal import TaplineReach
internal import TaplineSystem

/// The network namespace of `tapline exec --all`, in which the command runs.
///
/// **Isolation**: any thread; `open` and `run` block.
final class ExecNamespace: Sendable {
    /// The options of `exec` that are about the namespace.
    static let options = [
        OptionDeclaration(
            name: "all",
            summary: "Capture every connection, whatever the program does (Linux)."
        ),
        OptionDeclaration(
            name: "ports",
            value: "LIST",
            summary: "The ports without nftables; 80,443 by default."
        ),
        OptionDeclaration(
            name: "no-host-loopback",
            summary: "Keep it from this machine's loopback addresses."
        ),
        OptionDeclaration(
            name: "fail-untrusted",
            summary: "Let programs fail that reject the certificate."
        ),
    ]

    /// What to do if the system does not allow a namespace.
    static let help =
        "help: run it without '--all', which captures the programs that use a proxy"

    /// The namespace's sockets, for the pipeline.
    let sockets = ListeningSockets()
    private let settings: NamespaceOptions
    private let state = Mutex(State())

    private struct State {
        var namespace: NetworkNamespace?
        var notes: [String] = []
    }

    /// Reads the options; `nil` without `--all`.
    ///
    /// - Throws: `UsageError`.
    init?(_ invocation: Invocation) throws(UsageError) {
        guard invocation.has("all") else {
            let others = Self.options.map(\.name).filter { invocation.has($0) }
            guard let other = others.first else { return nil }
            throw UsageError(message: "'--\(other)' needs '--all'")
        }
        var settings = NamespaceOptions()
        settings.listenerCount = min(Processors.available, 16)
        if let text = invocation.value("ports") { settings.ports = try Self.ports(text) }
        self.settings = settings
    }

    /// Notes for the user after the run.
    var notes: [String] { state.withLock { $0.notes } }

    /// The option `listen` of the proxy; `nil` without `--all`.
    static func listening(_ invocation: Invocation) -> String? {
        guard invocation.has("all") else { return nil }
        let loopback = !invocation.has("no-host-loopback")
        let untrusted = invocation.has("fail-untrusted") ? "fail" : "pass"
        return "{ mode: namespace, host_loopback: \(loopback), untrusted: \(untrusted) }"
    }

    /// Makes the namespace.
    ///
    /// - Returns: Why the system does not allow it; `nil` if it is made.
    func open() -> String? {
        let namespace: NetworkNamespace
        do throws(NamespaceError) {
            namespace = try NetworkNamespace(settings)
        } catch {
            return error.description
        }
        for (use, place) in Self.places {
            sockets.add(namespace.take(use), for: place)
        }
        state.withLock { state in
            state.namespace = namespace
            guard !namespace.isRedirected else { return }
            let ports = settings.ports.map { "\($0)" }.joined(separator: ", ")
            state.notes.append(
                "note: without nftables only the ports \(ports) were captured; connections to "
                    + "others were refused"
            )
        }
        return nil
    }

    private static let places: [(NetworkNamespace.SocketUse, String)] = [
        (.tcp, "namespace/tcp"), (.dns, "namespace/dns"), (.quicV4, "namespace/quic4"),
        (.quicV6, "namespace/quic6"), (.requests, "namespace/requests"),
    ]

    /// Runs the command until it has ended.
    ///
    /// - Throws: `FileError` if the system cannot execute it.
    func run(_ words: [String], _ variables: [String: String]) throws -> ExitCode {
        guard let namespace = state.withLock({ $0.namespace }) else { return .failure }
        // Before the start: the terminal's signals are for the command from its first moment on.
        let target = SignalTarget()
        let signals = Signals(passingTo: target)
        defer { withExtendedLifetime(signals) {} }
        let ended: NetworkNamespace.Ending?
        do throws(NetworkNamespace.ExecutionError) {
            let command = try namespace.run(words, environment: variables)
            target.started { command.signal($0) }
            ended = try namespace.wait(for: command)
        } catch {
            throw FileError("start", words.first ?? "", code: error.code)
        }
        guard let ending = ended else {
            state.withLock {
                $0.notes.append(
                    "tapline: error: the exit code of the command is unknown, since the helper of "
                        + "its namespace was killed, or has not reported it within 30 s"
                )
            }
            return .unknown
        }
        if ending.leavesProcesses {
            state.withLock {
                $0.notes.append(
                    "note: processes that the command has started still run; they have no network "
                        + "from now on"
                )
            }
        }
        return ExitCode(rawValue: ending.code)
    }

    private static func ports(_ text: String) throws(UsageError) -> [UInt16] {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let ports = words.compactMap { UInt16($0) }.filter { $0 > 0 }
        guard ports.count == words.count, ports.count <= NamespaceOptions.maxPorts else {
            throw UsageError(
                message: "wrong value of '--ports'; found '\(text)', expected up to "
                    + "\(NamespaceOptions.maxPorts) port numbers such as 80,443"
            )
        }
        return ports
    }
}
