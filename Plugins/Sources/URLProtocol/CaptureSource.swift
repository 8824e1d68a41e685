// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplinePlugin

/// A configured `url_protocol`: a place where the app that runs the pipeline hands in what it sends
/// and receives.
public final class CaptureSource: Source {
    /// Whether `URLSession.shared` is captured.
    public let capturesShared: Bool
    /// The app itself.
    public var isWithinApp: Bool { true }
    /// Whether no request may reach the network, since stages answer all of them.
    private let isOffline: Bool
    /// What the app wants to be told when exchanges can be handed in, and whether stages may act.
    private struct Attached {
        let recordsOnly: Bool
        let opened: @Sendable (CapturePort) -> Void
    }

    private let attached = Mutex<Attached?>(nil)

    /// A source that captures `URLSession.shared`, too, or only the sessions that ask for it; where
    /// it is offline, requests fail whose answer by a stage cannot be given.
    public init(capturesShared: Bool, isOffline: Bool = false) {
        self.capturesShared = capturesShared
        self.isOffline = isOffline
    }

    /// Sets where the port goes when the pipeline runs; without that it does not run.
    ///
    /// - Parameters:
    ///   - recordsOnly: Whether no hook may run on what passes, since what stages do could not be
    ///     carried out.
    ///   - opened: Takes the port.
    public func attach(
        recordsOnly: Bool = false,
        _ opened: @escaping @Sendable (CapturePort) -> Void
    ) {
        attached.withLock { $0 = Attached(recordsOnly: recordsOnly, opened: opened) }
    }

    /// Nobody waits for the port any more.
    public func detach() { attached.withLock { $0 = nil } }

    /// Captures until its task is cancelled.
    public func run(_ intake: any Intake) async throws {
        guard let app = attached.withLock({ $0.take() }) else { throw CaptureError.noApp }
        if isOffline, app.recordsOnly { throw CaptureError.notAnswerable }
        let port = try CapturePort(intake, isOffline: isOffline, recordsOnly: app.recordsOnly)
        app.opened(port)
        await Gate().wait()
        port.close()
    }
}

/// Why `url_protocol` does not run.
public enum CaptureError: Error, CustomStringConvertible {
    /// No app has attached itself.
    case noApp
    /// Stages cannot answer requests with this Foundation, and none may reach the network.
    case notAnswerable

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .noApp:
            "'url_protocol' captures within a Swift app: add the library 'Tapline' to the app and start "
                + "it there with Tapline.start(configuration:); to capture from outside use 'proxy'"
        case .notAnswerable:
            "'url_protocol' cannot answer requests with this version of Foundation, and none may reach "
                + "the network: use a version that Tapline knows"
        }
    }
}
