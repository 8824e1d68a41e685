// SPDX-License-Identifier: MIT

public import TaplinePlugin

/// The traffic that a test sends to a live source while it runs.
///
/// ```swift
/// let traffic = LiveTraffic { _, point in
///     let address = await point().addresses[0]
///     for number in 0..<20 { try await get("/items/\(number)", through: address) }
/// }
/// ```
public struct LiveTraffic: Sendable {
    /// Prepares a source before it runs.
    let prepare: @Sendable (any Source) -> Void
    /// Sends the traffic, and returns when each exchange has ended.
    let send: @Sendable (any Source, @Sendable () async -> ListeningPoint) async throws -> Void

    /// Creates the traffic of a test.
    ///
    /// - Parameters:
    ///   - prepare: Called with each source that is built, before it runs.
    ///   - send: Sends the same exchanges each time, one after the other, and returns when the last
    ///     one has ended. The second argument waits until clients can reach the source.
    public init(
        prepare: @escaping @Sendable (any Source) -> Void = { _ in },
        send:
            @escaping @Sendable (any Source, @Sendable () async -> ListeningPoint) async throws ->
            Void
    ) {
        self.prepare = prepare
        self.send = send
    }
}
