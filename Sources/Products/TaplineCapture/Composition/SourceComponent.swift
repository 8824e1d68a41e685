// SPDX-License-Identifier: MIT

extension Component {
    /// The source `url_protocol`: captures what the app sends, at most once in a tap.
    ///
    /// The source exists even if it is not named. Naming it sets an id, a filter (`when`) and
    /// options that override the tap's settings.
    ///
    /// - Parameters:
    ///   - shared: Whether `URLSession.shared` is captured as well as tapped sessions.
    ///   - captureMaxBytes: The most bytes of a body that are stored.
    /// - Returns: The source.
    public static func urlProtocol(shared: Bool? = nil, captureMaxBytes: Int? = nil) -> Component {
        let source = Component(.source, urlProtocolName) { options in
            options.set("shared", shared.map(Value.truth))
        }
        return captureMaxBytes.map { source.adding(maxBodyKey, .bytes($0)) } ?? source
    }

    static let urlProtocolName = "url_protocol"
    static let maxBodyKey = "capture_max_bytes"
}
