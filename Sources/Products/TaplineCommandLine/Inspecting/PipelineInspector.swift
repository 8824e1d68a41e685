// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineInspector
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineProtobuf
package import TaplineRuntime
internal import TaplineStore
internal import TaplineSystem

/// What `--inspect` and the options beside it ask for.
package struct PipelineInspection: Sendable {
    let address: SocketAddress
    /// Whether the port is the user's.
    let hasPort: Bool
    /// What lets other machines reach the page; `nil` for this machine only.
    let access: RemoteAccess?
    let opensBrowser: Bool
    /// Whether the page may start replays and mocks.
    let allowsActions: Bool
    /// The database to write in addition to those of the file; `nil` for none.
    let store: String?
    /// The types of protobuf messages; `nil` if they are unknown.
    let schema: ProtobufSchema?

    /// The options of `inspect`, for a pipeline.
    init(_ arguments: InspectArguments) {
        address = arguments.address
        hasPort = arguments.hasPort
        access = arguments.access
        opensBrowser = arguments.opensBrowser
        allowsActions = arguments.access == nil || arguments.allowsActions
        store = nil
        schema = arguments.schema
    }

    /// Reads the options of `run` and `exec`; `nil` without `--inspect`.
    ///
    /// - Throws: `UsageError` if they are wrong.
    package init?(_ invocation: Invocation) throws(UsageError) {
        guard invocation.has("inspect") else {
            let others = ["inspect-listen", "inspect-store", "inspect-actions", "open"]
            let all = others + RemoteOptions.names(prefix: InspectionOptions.prefix)
            guard let other = all.first(where: invocation.has) else { return nil }
            throw UsageError(message: "'--\(other)' needs '--inspect'")
        }
        let text = invocation.value("inspect-listen")
        hasPort = text != nil
        address = try Self.address(text ?? "127.0.0.1:\(InspectArguments.defaultPort)")
        access = try RemoteOptions.access(
            invocation,
            prefix: InspectionOptions.prefix,
            at: address
        )
        opensBrowser = invocation.has("open")
        allowsActions = access == nil || invocation.has("inspect-actions")
        schema = nil
        store = invocation.value("inspect-store")
        guard store != "-" else {
            throw UsageError(message: "a database cannot be written to standard output")
        }
    }

    private static func address(_ text: String) throws(UsageError) -> SocketAddress {
        let name = "localhost:"
        let numeric = text.hasPrefix(name) ? "127.0.0.1:" + text.dropFirst(name.count) : text
        guard let address = SocketAddress(numeric) else {
            throw UsageError(
                message: "wrong value of '--inspect-listen'; found '\(text)', expected an address "
                    + "with a port such as 127.0.0.1:\(InspectArguments.defaultPort)"
            )
        }
        return address
    }
}

/// What the page of a pipeline needs, made before the pipeline.
package struct PreparedInspection: Sendable {
    /// Where the page will be served.
    let port: BoundAddress
    /// What lets other machines reach the page; `nil` for this machine only.
    let access: RemoteAccess?
    /// What it will show.
    let database: InspectedDatabase
    let opensBrowser: Bool
    /// Whether the page may start replays and mocks.
    let allowsActions: Bool
    /// The types of protobuf messages; `nil` if they are unknown.
    let schema: ProtobufSchema?

    /// Listens, and then adds a sink to the pipeline if none writes a database.
    ///
    /// `nil` if nothing is to be shown, or if that is not possible, which is logged; the pipeline is
    /// unchanged then.
    package init?(
        _ inspection: PipelineInspection?,
        in topology: inout Topology,
        _ writer: LogWriter,
        _ invocation: Invocation
    ) {
        guard let inspection else { return nil }
        StoreSet.prepareProgram()
        do {
            port = try InspectCommand.bind(
                inspection.address,
                isFixed: inspection.hasPort,
                inspection.access
            )
            database = try InspectedDatabase(in: &topology, adding: inspection.store, invocation)
        } catch {
            writer.log.of("inspector").warning("the pipeline is not shown: \(error)")
            return nil
        }
        access = inspection.access
        opensBrowser = inspection.opensBrowser
        allowsActions = inspection.allowsActions
        schema = inspection.schema
    }

    /// Removes the temporary database, if one was made; a database of the user stays.
    package func removeTemporaryDatabase() { database.remove() }
}

/// The page that shows a pipeline while it runs.
///
/// If it fails, the pipeline runs without it.
///
/// **Isolation**: any thread.
package struct PipelineInspector: Sendable {
    private let server: InspectorServer
    /// Leads the browser to the page; `nil` if none is opened.
    private let login: LoginPage?
    /// `nil` if the page may start nothing.
    private let actions: CommandActions?

    /// Starts to serve, and prints the address and what is shown to standard error.
    ///
    /// `nil` if nothing is to be shown, or if the page cannot be served, which is logged.
    package init?(
        _ inspection: PreparedInspection?,
        _ pipeline: Pipeline,
        _ writer: LogWriter,
        _ invocation: Invocation
    ) {
        guard let inspection else { return nil }
        let (database, log) = (inspection.database, writer.log.of("inspector"))
        do throws(FileError) {
            actions =
                try inspection.allowsActions
                ? CommandActions(passing: pipeline.stages, invocation) : nil
        } catch {
            log.warning("replays and mocks are turned off: \(error)")
            actions = nil
        }
        do {
            server = try InspectorServer(
                [database.path],
                on: inspection.port,
                access: inspection.access,
                log: { log.warning($0) },
                control: pipeline,
                actions: actions,
                schema: inspection.schema
            )
        } catch {
            log.warning("the pipeline is not shown: \(error)")
            actions?.end()
            return nil
        }
        if let warning = server.warning { log.warning(warning) }
        writer.say("inspector", "\(server.url) shows \(database.description)")
        if inspection.access?.isIssued == true { writer.say("inspector", RemoteOptions.trust) }
        do throws(FileError) {
            login =
                try inspection.opensBrowser
                ? LoginPage.open(server.url, isSecret: inspection.access == nil, invocation) : nil
        } catch {
            log.warning("the page cannot be opened: \(error)")
            login = nil
        }
    }

    /// Stops to serve; called when the pipeline has ended.
    package func stop() {
        server.stop()
        actions?.end()
        login?.remove()
    }
}

/// The database of a pipeline that an inspector shows.
struct InspectedDatabase: Sendable {
    /// Its path.
    let path: String
    /// What it is, for people.
    let description: String
    /// The folder that was made for it; `nil` if the user has named it.
    private let folder: String?
    /// The sink that was added to the pipeline; `nil` if one of its own writes the database.
    let addedSink: Topology.Sink?

    /// The maximum size of a temporary database, as in a pipeline file.
    private static let maxSize = "1GiB"

    /// Takes the database of the first sink that writes one, and adds a sink if there is none.
    ///
    /// - Parameters:
    ///   - topology: The pipeline; it may get another sink.
    ///   - path: The database to show, which is written in addition if no sink does; `nil` for any.
    ///   - invocation: Has the plugins.
    /// - Throws: An error that says what is wrong, if no sink can be added.
    init(
        in topology: inout Topology,
        adding path: String?,
        _ invocation: Invocation
    ) throws {
        let place = path.map(Self.place)
        if let store = topology.stores.first(where: { place == nil || place == Self.place($0.path) }
        ) {
            self.path = store.path
            description = "'\(store.path)' of the sink '\(store.id)'"
            folder = nil
            addedSink = nil
            return
        }
        if let path, topology.writes(path) {
            throw ControlError("another sink writes '\(path)', which is not a database")
        }
        let folder =
            path == nil ? try FileSystem.makeTemporaryFolder(prefix: "tapline-inspect") : nil
        let database = path ?? "\(folder ?? ".")/traffic.db"
        do {
            let sink = try Self.sink(
                database,
                atMost: folder == nil ? nil : Self.maxSize,
                beside: topology,
                invocation
            )
            topology.sinks.append(sink)
            addedSink = sink
        } catch {
            if let folder { try? FileSystem.removeFolder(folder) }
            throw error
        }
        self.path = database
        self.folder = folder
        description =
            folder == nil
            ? "'\(database)'"
            : "what comes from now on, at most the last \(Self.maxSize) of it, in a database that "
                + "is removed at the end"
    }

    /// Removes a database that was made for the inspector.
    func remove() {
        if let folder { try? FileSystem.removeFolder(folder) }
    }

    /// A path in a form that is the same for `traffic.db` and `./traffic.db`; the file itself need
    /// not exist.
    private static func place(_ path: String) -> String {
        let folder = FileSystem.folder(of: path)
        return "\(FileSystem.resolved(folder) ?? folder)/\(FileSystem.name(of: path))"
    }

    private static func sink(
        _ path: String,
        atMost size: String?,
        beside topology: Topology,
        _ invocation: Invocation
    ) throws -> Topology.Sink {
        guard
            let plugin = invocation.registry.sinks.first(where: { $0.description.name == "sqlite" })
        else { throw ControlError("the sink 'sqlite' is not linked") }
        let source = ConfigSource(name: "--inspect-store", text: path, hasLines: false)
        let place = source.location(at: 0)
        func scalar(_ text: String, isPlain: Bool = true) -> ConfigNode {
            ConfigNode(.scalar(text, isPlain: isPlain), at: place)
        }
        var pairs = [(key: scalar("path"), value: scalar(path.literalOptionValue, isPlain: false))]
        if let size {
            let limit = [(key: scalar("bytes"), value: scalar(size))]
            pairs.append((key: scalar("retention"), value: ConfigNode(.mapping(limit), at: place)))
        }
        let ids = Set(
            topology.sources.map(\.id) + topology.stages.map(\.id) + topology.sinks.map(\.id)
        )
        var context = BuildContext(
            id: TopologyBuilder.defaultID(of: "sqlite", isTaken: ids.contains),
            environment: invocation.environment,
            location: place
        )
        let options = plugin.description.options.decode(
            ConfigNode(.mapping(pairs), at: place),
            owner: "sqlite",
            into: &context.diagnostics,
            environment: invocation.environment
        )
        guard let options, let factory = plugin.build(options, &context) else {
            throw ControlError(context.diagnostics.rendered)
        }
        return Topology.Sink(id: context.id, factory)
    }
}
