// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineInspector
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// Starts the replays and mocks that a page asks for, each as a pipeline of its own in this process, and
/// waits for them at the end.
///
/// **Isolation**: any thread.
final class CommandActions: InspectorActions {
    /// How long the end of the inspector waits for runs.
    private static let patience = DispatchTimeInterval.seconds(10)

    /// Where replays are recorded: a sink of another pipeline would change the indexes of a
    /// database, and what counts as unfinished in it.
    let recordingFolder: String?
    private let startRun: InspectorRunStart
    private let context: InspectorRunContext
    private let running: DispatchGroup

    /// Records replays in a database, which exists from the first replay on.
    ///
    /// `nil` if the program has no replays and mocks.
    ///
    /// - Parameters:
    ///   - folder: The folder of the database; `end` removes it.
    ///   - stages: Those of the pipeline that the page shows.
    ///   - invocation: The command that serves the page; its plugins are used.
    init?(
        recordingIn folder: String,
        passing stages: [Topology.Stage] = [],
        _ invocation: Invocation
    ) {
        guard let startRun = invocation.program.startRun else { return nil }
        let running = DispatchGroup()
        self.startRun = startRun
        self.running = running
        recordingFolder = folder
        context = InspectorRunContext(
            database: "\(folder)/replays.db",
            stages: stages,
            invocation: invocation,
            ended: { running.leave() }
        )
    }

    /// Records replays in a temporary folder; `nil` if the program has no replays and mocks.
    ///
    /// - Throws: `FileError` if the folder cannot be made.
    convenience init?(
        passing stages: [Topology.Stage] = [],
        _ invocation: Invocation
    ) throws(FileError) {
        guard invocation.program.startRun != nil else { return nil }
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-replays")
        self.init(recordingIn: folder, passing: stages, invocation)
    }

    func start(_ request: RunRequest) throws(ControlError) -> any StartedRun {
        let plugin = request.kind == .replay ? "client_replay" : "server_replay"
        let sources = context.invocation.registry.sources
        guard sources.contains(where: { $0.description.name == plugin }) else {
            throw ControlError("this needs the product 'TaplineProxy', which is not linked")
        }
        do {
            if request.kind == .replay { try Self.check(target: request.target) }
            running.enter()
            do {
                return try startRun(request, context)
            } catch {
                running.leave()
                throw error
            }
        } catch let error as ControlError {
            throw error
        } catch let error as UsageError {
            throw ControlError(error.message)
        } catch {
            throw ControlError("\(error)")
        }
    }

    /// Waits until the runs, which were asked to end, have ended, and removes what was made for them.
    func end() {
        _ = running.wait(timeout: .now() + Self.patience)
        if let recordingFolder { try? FileSystem.removeFolder(recordingFolder) }
    }

    /// Refuses a server that is an inspector, which shows what others must not see.
    ///
    /// - Throws: `ControlError` if an inspector listens on the port, or if the text is not the URL
    ///   of a server, whose port would not be known.
    static func check(
        target: String,
        against ports: ProtectedPorts = .ofUser()
    ) throws(ControlError) {
        guard let port = Self.port(of: target) else {
            throw ControlError(
                "this is not a server; found '\(target)', expected a URL without a path, such as "
                    + "http://127.0.0.1:9000"
            )
        }
        guard !ports.contains(port) else {
            throw ControlError("an inspector listens on the port \(port)")
        }
    }

    /// Returns the port of a URL, or else that of its scheme; `nil` if it names no server.
    private static func port(of url: String) -> UInt16? {
        let bytes = url.utf8.span
        guard let parts = URLParts(bytes) else { return nil }
        let authority = bytes.extracting(parts.hostPort)
        let port = AuthorityParts(authority)
            .portNumber(authority, scheme: bytes.extracting(parts.scheme))
        return port.flatMap { UInt16(exactly: $0) }
    }
}
