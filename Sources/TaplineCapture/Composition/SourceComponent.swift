// SPDX-License-Identifier: MIT

extension Component {
    /// The source `url_protocol`: what the app sends, once in a tap.
    ///
    /// It is there without being named; named, it has an id, a filter (`when`), and what is given here
    /// in the place of what the tap was given.
    ///
    /// - Parameters:
    ///   - shared: Whether `URLSession.shared` is captured, too, not only tapped sessions.
    ///   - maxBodySize: The most bytes that are kept of a body.
    /// - Returns: The source.
    public static func urlProtocol(shared: Bool? = nil, maxBodySize: Int? = nil) -> Component {
        let source = Component(.source, urlProtocolName) { options in
            options.set("shared", shared.map(Value.truth))
        }
        return maxBodySize.map { source.adding(maxBodyKey, .bytes($0)) } ?? source
    }

    static let urlProtocolName = "url_protocol"
    static let maxBodyKey = "capture_max_bytes"
}
