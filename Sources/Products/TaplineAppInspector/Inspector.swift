// SPDX-License-Identifier: MIT

internal import TaplineCapture
internal import TaplineInspector
internal import TaplineNet

/// Shows the traffic of an app as a web page, also while it is captured.
///
/// ```swift
/// try Tapline.start(configuration: file)  // with the sink 'sqlite'
/// let inspector = try Inspector.start()
/// print(inspector.url)
/// ```
/// The page reads the database as another process would, so it holds up nothing. It is served on
/// this machine only, to the browser that opens `url`, on a thread of its own, until `stop`, or
/// until the inspector is released.
///
/// **Isolation**: any thread.
public final class Inspector: Sendable {
    private let server: InspectorServer

    /// Serves the page.
    ///
    /// - Parameters:
    ///   - stores: The databases and recordings to show, which may not exist yet; by default the
    ///     first database that the tap of `Tapline.start` writes.
    ///   - port: The port on 127.0.0.1; with 0 the system chooses a free one.
    /// - Returns: The inspector, which serves until it is stopped or released.
    /// - Throws: An error that says what is wrong: no store is named and the tap writes no database,
    ///   or the port is in use.
    public static func start(stores: [String] = [], port: UInt16 = 0) throws -> Inspector {
        try Inspector(stores: stores, port: port, of: Tapline.tap)
    }

    init(stores: [String], port: UInt16, of tap: Tap?) throws {
        let stores = stores.isEmpty ? tap?.database.map { [$0] } ?? [] : stores
        guard !stores.isEmpty else { throw NoStore() }
        server = try InspectorServer(
            stores,
            at: SocketAddress(.loopbackV4, port: port),
            control: tap?.control
        )
    }

    /// The address of the page, with the token that logs a browser in.
    public var url: String { server.url }

    /// Stops serving, and waits until nothing reads the stores any more.
    public func stop() { server.stop() }
}

/// Why there is nothing to show.
private struct NoStore: Error, CustomStringConvertible {
    let description =
        "there is no database to show; start Tapline with a sink 'sqlite' first, or name the stores"
}
