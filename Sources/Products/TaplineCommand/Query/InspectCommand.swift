// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineConfig
internal import TaplineInspector
internal import TaplineNet
internal import TaplineStore
internal import TaplineSystem

/// `tapline inspect STORE...`.
enum InspectCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        StoreSet.prepareProgram()
        let console = invocation.console
        do {
            let arguments = try InspectArguments(invocation)
            let server = try start(arguments)
            for line in describe(arguments.stores) { console.note(line) }
            if let warning = server.warning { console.note("warning: \(warning)") }
            console.print(server.url)
            if arguments.opensBrowser { open(server.url, invocation) }
            await interrupt()
            server.stop()
            return .success
        } catch {
            return invocation.report(error)
        }
    }

    /// Starts the server, on a free port if the usual one is in use and no other was asked for.
    private static func start(_ arguments: InspectArguments) throws -> InspectorServer {
        do {
            return try InspectorServer(
                arguments.stores,
                at: arguments.address,
                ruleFiles: arguments.ruleFiles
            )
        } catch let error as NetError where error.code == .addressInUse && !arguments.hasPort {
            var address = arguments.address
            address.port = 0
            return try InspectorServer(
                arguments.stores,
                at: address,
                ruleFiles: arguments.ruleFiles
            )
        }
    }

    /// What the page shows.
    private static func describe(_ names: [String]) -> [String] {
        names.map { name in
            let files = ((try? StoreFiles.resolve(name)) ?? []).count
            if files == 0 { return "'\(name)' does not exist yet" }
            let isSame = files == 1 && (try? FileSystem.status(of: name))?.kind == .regular
            return "showing '\(name)'" + (isSame ? "" : " (\(Counted.text(files, "store")))")
        } + ["control-C ends it"]
    }

    /// Waits for the interrupt key, or for SIGTERM.
    private static func interrupt() async {
        let interrupts = AsyncStream<Void>.makeStream()
        let signals = Signals {
            interrupts.continuation.finish()
        } reopen: {
        } report: {
        }
        for await _ in interrupts.stream {}
        withExtendedLifetime(signals) {}
    }

    /// Opens an address in the browser of the user.
    private static func open(_ url: String, _ invocation: Invocation) {
        let environment = invocation.environment
        #if os(macOS)
        let names = ["open"]
        #else
        let names = [environment["BROWSER"], "xdg-open", "sensible-browser"].compactMap { $0 }
        #endif
        let programs = names.compactMap { ChildProcess.find($0, in: environment["PATH"]) }
        guard let program = programs.first else {
            return invocation.console.note("warning: no program to open the page was found")
        }
        // A browser may run as long as its window is open.
        DispatchQueue.global().async {
            do throws(FileError) {
                let child = try ChildProcess(
                    [program, url],
                    environment: environment.variables,
                    input: .nothing
                )
                _ = try child.wait()
            } catch {
                invocation.console.note("warning: cannot open the page; \(error)")
            }
        }
    }
}

/// The arguments of `tapline inspect`, read from the command line.
struct InspectArguments {
    /// The port if none is given; browsers keep settings for each port.
    static let defaultPort: UInt16 = 8327

    let stores: [String]
    let address: SocketAddress
    /// Whether the port is the user's.
    let hasPort: Bool
    let opensBrowser: Bool
    /// Rule files to edit and to try on the stores.
    let ruleFiles: [(id: String, path: String)]

    init(_ invocation: Invocation) throws {
        stores = invocation.operands
        guard !stores.contains("-") else {
            throw UsageError(
                message: "standard input cannot be inspected",
                help: "save it to a file first"
            )
        }
        hasPort = invocation.has("port")
        opensBrowser = invocation.has("open")
        ruleFiles = invocation.value("rules").map { [(FileSystem.name(of: $0), $0)] } ?? []
        if let path = ruleFiles.first?.path {
            do throws(FileError) {
                try FileSystem.check(path, for: .read)
            } catch {
                throw UsageError(message: "the rules cannot be read: \(error.reason)")
            }
        }
        var port = Self.defaultPort
        if let number = try invocation.number("port") {
            guard let value = UInt16(exactly: number) else {
                throw UsageError(
                    message: "wrong value of '--port'; found \(number), expected 0 to 65535"
                )
            }
            port = value
        }
        let text = invocation.value("listen") ?? "127.0.0.1"
        guard let ip = IPAddress(text == "localhost" ? "127.0.0.1" : text) else {
            throw UsageError(
                message: "wrong value of '--listen'; found '\(text)', expected an address such as "
                    + "127.0.0.1"
            )
        }
        guard ip.isLoopback else {
            throw UsageError(
                message: "cannot listen on \(text), since anyone who reaches the page could read "
                    + "the traffic",
                help: "use 127.0.0.1, and 'ssh -L' to reach it from another machine"
            )
        }
        address = SocketAddress(ip, port: port)
    }
}
