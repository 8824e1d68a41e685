// SPDX-License-Identifier: MIT

internal import TaplinePlugin
internal import TaplineSystem
internal import URLProtocolSource

extension CaptureSource {
    /// Attaches a capture that creates an intake when the pipeline runs, and closes it at the end.
    ///
    /// - Parameters:
    ///   - isOffline: Whether no request may reach the network, because stages answer all of them.
    ///     Requests then fail if a stage's answer cannot be passed to them.
    ///   - recordsOnly: Whether no wire hook may run, because its result could not be carried out.
    ///   - opened: Receives the intake.
    func attach(
        isOffline: Bool = false,
        recordsOnly: Bool = false,
        _ opened: @escaping @Sendable (CaptureIntake) -> Void
    ) {
        attach { intake in
            if isOffline, recordsOnly { throw UnanswerableError() }
            let capture = try CaptureIntake(intake, isOffline: isOffline, recordsOnly: recordsOnly)
            opened(capture)
            await OneShotEvent().wait()
            capture.close()
        }
    }
}

/// Stages cannot answer requests with this version of Foundation, and no request may reach the
/// network.
struct UnanswerableError: Error, CustomStringConvertible {
    /// The problem, and what to do about it.
    var description: String {
        "'url_protocol' cannot answer requests with this version of Foundation, and none may "
            + "reach the network: use a version that Tapline supports"
    }
}
