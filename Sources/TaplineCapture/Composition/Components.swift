// SPDX-License-Identifier: MIT

public import TaplinePlugin

extension Component {
    /// The messages whose bodies a script sees whole before they go on.
    public enum Buffered: String, Sendable {
        /// Requests.
        case request
        /// Responses.
        case response
    }

    /// The stage `lua`: runs a script over each exchange.
    ///
    /// - Parameters:
    ///   - code: The script itself.
    ///   - buffer: The messages whose bodies it sees whole.
    /// - Returns: The stage.
    public static func lua(code: String, buffer: [Buffered] = []) -> Component {
        Component(.stage, "lua") { $0.set("code", .text(code)) }
            .adding("buffer", .texts(buffer.map(\.rawValue)))
    }

    /// The stage `lua`, with the script in a file.
    ///
    /// - Parameters:
    ///   - path: The script's file.
    ///   - buffer: The messages whose bodies it sees whole.
    /// - Returns: The stage.
    public static func lua(script path: String, buffer: [Buffered] = []) -> Component {
        Component(.stage, "lua") { $0.set("script", .text(path)) }
            .adding("buffer", .texts(buffer.map(\.rawValue)))
    }

    /// The stage `limit_body`: keeps so many bytes of each body.
    public static func limitBody(_ maxBytes: Int) -> Component {
        Component(.stage, "limit_body") { $0.set("max_bytes", .bytes(maxBytes)) }
    }

    /// A stage of the app's own.
    public static func stage(_ name: String, _ factory: any StageFactory) -> Component {
        var component = Component(.stage, name)
        component.stage = factory
        return component
    }

    /// The sink `stdout`: shows exchanges on the terminal, a line each.
    public static let terminal = Component(.sink, "stdout") { $0.set("stream", .text("stderr")) }

    /// The sink `ndjson`: a file with a line of JSON for each exchange.
    public static func ndjson(_ path: String) -> Component {
        Component(.sink, "ndjson") { $0.set("path", .text(path)) }
    }

    /// The sink `sqlite`: a database.
    public static func sqlite(_ path: String) -> Component {
        Component(.sink, "sqlite") { $0.set("path", .text(path)) }
    }

    /// A sink of the app's own.
    public static func sink(_ name: String, _ factory: any SinkFactory) -> Component {
        var component = Component(.sink, name)
        component.sink = factory
        return component
    }
}
