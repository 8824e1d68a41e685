// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplinePlugin

/// What an inspector may ask of the pipeline that it runs beside.
///
/// Everything else that it shows comes from the store.
///
/// **Isolation**: any thread.
package protocol PipelineControl: Sendable {
    /// Whether a source can send requests.
    var canSend: Bool { get }

    /// Sends a request through the hooks of a source, as if a client of the source had sent it.
    ///
    /// - Parameters:
    ///   - request: The request; its authority and scheme name the server.
    ///   - original: The recorded exchange that it repeats; `nil` for a new request.
    ///   - answered: Called once, on any thread, with the id of the new exchange once that has
    ///     begun.
    func send(
        _ request: Request,
        replaying original: ExchangeID?,
        answered: @escaping @Sendable (Result<ExchangeID, ControlError>) -> Void
    )

    /// The exchanges that wait for a decision.
    var paused: PausedExchanges { get }

    /// The files of the stages `rules`, by the id of the component.
    var ruleFiles: [(id: String, path: String)] { get }

    /// The key files, folders of keys, and what queues keep, which no component may expose.
    var protectedPaths: [String] { get }

    /// The own metrics of a component, summed over all lanes; empty if there is no such component.
    func metrics(of id: String) -> [Metric]
}

/// Why a pipeline cannot do what an inspector asked for.
package struct ControlError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, without traffic.
    package let description: String

    package init(_ description: String) { self.description = description }
}
