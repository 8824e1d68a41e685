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
    /// What the app wants to be told when exchanges can be handed in.
    private let opened = Mutex<(@Sendable (CapturePort) -> Void)?>(nil)

    /// A source that captures `URLSession.shared`, too, or only the sessions that ask for it; where
    /// it is offline, requests fail whose answer by a stage cannot be given.
    public init(capturesShared: Bool, isOffline: Bool = false) {
        self.capturesShared = capturesShared
        self.isOffline = isOffline
    }

    /// Says where the port goes to when the pipeline runs; without that it does not run.
    public func attach(_ opened: @escaping @Sendable (CapturePort) -> Void) {
        self.opened.withLock { $0 = opened }
    }

    /// Nobody waits for the port any more.
    public func detach() { opened.withLock { $0 = nil } }

    /// Captures until its task is cancelled.
    public func run(_ intake: any Intake) async throws {
        guard let opened = opened.withLock({ $0.take() }) else { throw CaptureError.noApp }
        let port = try CapturePort(intake, isOffline: isOffline)
        opened(port)
        await Gate().wait()
        port.close()
    }
}

/// Why `url_protocol` does not run.
public enum CaptureError: Error, CustomStringConvertible {
    /// No app has attached itself.
    case noApp

    /// What is wrong, and what to do.
    public var description: String {
        "'url_protocol' captures within a Swift app: add the library 'Tapline' to the app and start "
            + "it there with Tapline.start(configuration:); to capture from outside use 'proxy'"
    }
}
