// SPDX-License-Identifier: MIT

package import Dispatch
internal import Synchronization
package import TaplineInspector
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin
package import TaplineRuntime
internal import TaplineSystem

/// Starts a replay or a mock that the inspector's page asks for.
///
/// It throws `ControlError` or `UsageError` if an option is wrong.
package typealias InspectorRunStart =
    @Sendable (RunRequest, InspectorRunContext) throws -> any StartedRun

/// What a run that the page has started uses.
package struct InspectorRunContext: Sendable {
    /// The database that replays are recorded in.
    package let database: String
    /// The stages of the pipeline that the page shows, which the exchanges of replays pass, too.
    package let stages: [Topology.Stage]
    /// Has the plugins.
    package let invocation: Invocation
    /// The group that a run leaves when it ends.
    package let running: DispatchGroup
}

/// Runs the replays and mocks that a page starts, each as a pipeline of its own in this process.
///
/// **Isolation**: any thread.
final class CommandActions: InspectorActions {
    /// How long the end of the inspector waits for runs.
    private static let patience = DispatchTimeInterval.seconds(10)

    /// Where replays are recorded: a sink of another pipeline would change the indexes of a
    /// database, and what counts as unfinished in it.
    let recordingFolder: String?
    private let context: InspectorRunContext

    /// Records replays in a database, which exists from the first replay on.
    ///
    /// - Parameters:
    ///   - folder: The folder of the database; `end` removes it.
    ///   - stages: Those of the pipeline that the page shows.
    ///   - invocation: Has the plugins.
    init(
        recordingIn folder: String,
        passing stages: [Topology.Stage] = [],
        _ invocation: Invocation
    ) {
        recordingFolder = folder
        context = InspectorRunContext(
            database: "\(folder)/replays.db",
            stages: stages,
            invocation: invocation,
            running: DispatchGroup()
        )
    }

    /// Records replays in a temporary folder.
    ///
    /// - Throws: `FileError` if it cannot be made.
    convenience init(
        passing stages: [Topology.Stage] = [],
        _ invocation: Invocation
    ) throws(FileError) {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-replays")
        self.init(recordingIn: folder, passing: stages, invocation)
    }

    func start(_ request: RunRequest) throws(ControlError) -> any StartedRun {
        let plugin = request.kind == .replay ? "client_replay" : "server_replay"
        let sources = context.invocation.registry.sources
        guard sources.contains(where: { $0.description.name == plugin }),
            let start = context.invocation.commands.startRun
        else {
            throw ControlError("this needs the product 'TaplineProxy', which is not linked")
        }
        do {
            if request.kind == .replay { try Self.check(target: request.target) }
            return try start(request, context)
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
        _ = context.running.wait(timeout: .now() + Self.patience)
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

/// Takes what a pipeline writes to standard error in a command of its own; the last lines are kept.
///
/// **Isolation**: any thread.
package final class CollectedLines: Sendable {
    private static let limit = 20

    private let lines = Mutex<[String]>([])

    package init() {}

    /// The lines so far.
    package var all: [String] { lines.withLock { $0 } }

    /// The console that they come from.
    package var console: Console {
        Console(
            isTerminal: false,
            output: { _ in },
            errors: { [self] bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                lines.withLock { lines in
                    lines += text.split(separator: "\n").map(String.init)
                    if lines.count > Self.limit { lines.removeFirst(lines.count - Self.limit) }
                }
            }
        )
    }
}
