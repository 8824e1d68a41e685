// SPDX-License-Identifier: MIT

package import TaplineControl
package import TaplineOperations
internal import TaplinePlugin
package import TaplineRuntime
internal import TaplineSystem

/// The control listener of a pipeline that runs in this process.
package enum PipelineServer {
    /// Starts the listener that a file asks for.
    ///
    /// - Parameters:
    ///   - topology: What the file configures.
    ///   - pipeline: The pipeline.
    ///   - reloading: Reloads it; `nil` if it cannot be reloaded.
    ///   - writer: The log.
    ///   - invocation: May have the token.
    /// - Returns: The listener; `nil` if the file asks for none.
    /// - Throws: `ControlServerError` if it cannot listen, since the user relies on it.
    package static func start(
        _ topology: Topology,
        _ pipeline: Pipeline,
        reloading: (any PipelineReloading)? = nil,
        _ writer: LogWriter,
        _ invocation: Invocation
    ) throws -> ControlServer? {
        guard let address = topology.control else { return nil }
        let origin: ControlToken.Origin
        if let file = topology.controlTokenFile {
            origin = .file(file)
        } else if let text = invocation.controlToken, !text.isEmpty {
            origin = .text(text)
        } else {
            origin = .generated
        }
        let server = try ControlServer(
            at: address,
            of: pipeline,
            reloading: reloading,
            token: origin
        )
        let log = writer.log.of("control")
        if let warning = server.warning { log.warning(warning) }
        let token = server.token.file.map { "; the token for changes is in '\($0)'" } ?? ""
        writer.say("control", "listens at \(server.address)\(token)")
        return server
    }
}
