// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplinePlugin

/// A source that sends requests of its own through its hooks, as if a client had sent them.
///
/// **Isolation**: any thread.
package protocol RequestSender: Sendable {
    /// Returns whether the request would get to the server that it names.
    ///
    /// A request that names no server may be accepted here: `send` then has the reason.
    func canReach(_ request: Request) -> Bool

    /// Sends a request; as `PipelineControl.send`.
    func send(
        _ request: Request,
        replaying original: ExchangeID?,
        answered: @escaping @Sendable (Result<ExchangeID, ControlError>) -> Void
    )
}

/// An intake through which the pipeline can reach the senders of its sources.
///
/// A protocol of its own, since `Intake` is public and only sources of this package can send.
package protocol SenderIntake: Intake {
    /// Sends requests through a sender from now on, until the source has ended.
    func sends(through sender: any RequestSender)
}

extension Intake {
    /// Offers a sender to the pipeline; without effect if the intake takes none.
    package func offer(_ sender: any RequestSender) {
        (self as? any SenderIntake)?.sends(through: sender)
    }
}
