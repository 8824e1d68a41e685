// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineInspector
internal import TaplineNet
internal import TaplineProtobuf
internal import TaplineStore
internal import TaplineSystem

/// `tapline inspect STORE...` and `tapline inspect PIPELINE`.
enum InspectCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        StoreSet.prepareProgram()
        let console = invocation.console
        do {
            let arguments = try InspectArguments(invocation)
            if try arguments.isPipeline {
                let inspection = PipelineInspection(arguments)
                return await RunCommand.run(invocation, for: nil, inspecting: inspection)
            }
            let actions = arguments.allowsActions ? try CommandActions(invocation) : nil
            defer { actions?.end() }
            let server = try InspectorServer(
                arguments.stores,
                on: try bind(arguments.address, isFixed: arguments.hasPort, arguments.access),
                countsEachCopy: invocation.has("each-copy"),
                access: arguments.access,
                log: { console.note("warning: \($0)") },
                actions: actions,
                ballOrigins: arguments.ballOrigins,
                ballShowsAll: arguments.ballShowsAll,
                ruleFiles: arguments.ruleFiles,
                schema: arguments.schema
            )
            for line in describe(arguments.stores) { console.note(line) }
            if let warning = server.warning { console.note("warning: \(warning)") }
            if arguments.access?.isIssued == true { console.note(RemoteOptions.trust) }
            console.print(server.url)
            if let ball = server.ballURL {
                console.note("the ball: <script type=\"module\" src=\"\(ball)\"></script>")
            }
            let login =
                try arguments.opensBrowser
                ? LoginPage.open(server.url, isSecret: arguments.access == nil, invocation) : nil
            await Interrupts().wait()
            server.stop()
            login?.remove()
            return .success
        } catch {
            return invocation.report(error)
        }
    }

    /// Listens for the page, on a free port if the usual one is in use and no other was asked for.
    static func bind(
        _ address: SocketAddress,
        isFixed: Bool,
        _ access: RemoteAccess?
    ) throws -> BoundAddress {
        do {
            return try InspectorServer.bind(address, access)
        } catch let error as NetError where error.code == .addressInUse && !isFixed {
            var address = address
            address.port = 0
            return try InspectorServer.bind(address, access)
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
}

/// The arguments of `tapline inspect`, read from the command line.
struct InspectArguments {
    /// The port if none is given; browsers keep settings for each port.
    static let defaultPort: UInt16 = 8327

    let stores: [String]
    let address: SocketAddress
    /// Whether the port is the user's.
    let hasPort: Bool
    /// What lets other machines reach the page; `nil` for this machine only.
    let access: RemoteAccess?
    let opensBrowser: Bool
    /// Whether `--actions` is given.
    let allowsActions: Bool
    /// The origins of the pages that may show the ball.
    let ballOrigins: [String]
    /// Whether these pages may read the exchanges of other pages, too.
    let ballShowsAll: Bool
    /// Rule files to edit and to try on the stores.
    let ruleFiles: [(id: String, path: String)]
    /// The types of protobuf messages; `nil` if they are unknown.
    let schema: ProtobufSchema?

    init(_ invocation: Invocation) throws {
        stores = invocation.operands
        guard !stores.contains("-") else {
            throw UsageError(
                message: "standard input cannot be inspected",
                help: "save it to a file first"
            )
        }
        opensBrowser = invocation.has("open")
        allowsActions = invocation.has("actions")
        ballOrigins = try invocation.values("ball-origin").map(Self.origin)
        ballShowsAll = invocation.has("ball-all")
        ruleFiles = invocation.value("rules").map { [(FileSystem.name(of: $0), $0)] } ?? []
        if let path = ruleFiles.first?.path {
            do throws(FileError) {
                try FileSystem.check(path, for: .read)
            } catch {
                throw UsageError(message: "the rules cannot be read: \(error.reason)")
            }
        }
        schema = try Descriptors.read(invocation)
        (address, hasPort) = try Self.address(invocation)
        access = try RemoteOptions.access(invocation, at: address)
        guard access == nil || ballOrigins.isEmpty else {
            throw UsageError(
                message: "'--ball-origin' is for this machine only, since the ball needs no "
                    + "password"
            )
        }
    }

    /// Reads where the page is served, and whether the port is the user's.
    private static func address(
        _ invocation: Invocation
    ) throws(UsageError) -> (SocketAddress, hasPort: Bool) {
        let text = invocation.value("listen") ?? "127.0.0.1"
        let name = "localhost"
        let isLocal = text == name || text.hasPrefix("\(name):")
        let numeric = isLocal ? "127.0.0.1" + text.dropFirst(name.count) : text
        let whole = SocketAddress(numeric)
        guard let ip = whole?.ip ?? IPAddress(numeric) else {
            throw UsageError(
                message: "wrong value of '--listen'; found '\(text)', expected an address such as "
                    + "127.0.0.1"
            )
        }
        guard let number = try invocation.number("port") else {
            return (whole ?? SocketAddress(ip, port: defaultPort), whole != nil)
        }
        guard whole == nil else {
            throw UsageError(message: "'--port' excludes a port in '--listen'")
        }
        guard let port = UInt16(exactly: number) else {
            throw UsageError(
                message: "wrong value of '--port'; found \(number), expected 0 to 65535"
            )
        }
        return (SocketAddress(ip, port: port), true)
    }

    /// Whether a pipeline is to be run and shown, and not a store.
    ///
    /// - Throws: `UsageError` if there are others beside it.
    var isPipeline: Bool {
        get throws(UsageError) {
            guard let file = stores.first(where: PipelineText.isPipeline) else { return false }
            guard stores.count == 1 else {
                throw UsageError(
                    message: "'\(file)' is a pipeline, which is inspected alone; found "
                        + "\(stores.count) files"
                )
            }
            return true
        }
    }

    /// Reads an origin, in the form that browsers send.
    private static func origin(_ text: String) throws(UsageError) -> String {
        let origin = text.lowercased()
        let schemes = ["http://": ":80", "https://": ":443"]
        guard let (scheme, port) = schemes.first(where: { origin.hasPrefix($0.key) }),
            origin.utf8.count > scheme.utf8.count,
            origin.utf8.dropFirst(scheme.utf8.count).allSatisfy(isOfAuthority)
        else {
            throw UsageError(
                message: "wrong value of '--ball-origin'; found '\(text)', expected scheme, host "
                    + "and port, such as http://localhost:5173"
            )
        }
        return origin.hasSuffix(port) ? String(origin.dropLast(port.count)) : origin
    }

    /// Whether a byte may be in a host with a port.
    private static func isOfAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            true
        default: false
        }
    }
}
