// SPDX-License-Identifier: MIT

public import TaplinePlugin

extension Component {
    /// What becomes of a secret.
    public enum Redaction: String, Sendable {
        /// A fixed text takes its place.
        case mask
        /// It goes with its name.
        case remove
    }

    /// The messages whose bodies a script sees whole before they go on.
    public enum Buffered: String, Sendable {
        /// Requests.
        case request
        /// Responses.
        case response
    }

    /// The stage `redact`: takes secrets out of what is kept, by their names.
    ///
    /// - Parameters:
    ///   - headers: Fields, beside those that everybody needs.
    ///   - cookies: Cookies.
    ///   - query: Query parameters.
    ///   - form: Form fields.
    ///   - json: JSON values: a name at any depth, or a path from `$`.
    ///   - action: What becomes of a value.
    /// - Returns: The stage.
    public static func redact(
        headers: [String] = [],
        cookies: [String] = [],
        query: [String] = [],
        form: [String] = [],
        json: [String] = [],
        action: Redaction = .mask
    ) -> Component {
        Component(
            .stage,
            "redact",
            [
                ("preset", .text("standard")), ("headers", .list(headers)),
                ("cookies", .list(cookies)), ("query", .list(query)), ("form", .list(form)),
                ("json", .list(json)), ("action", .text(action.rawValue)),
            ]
        )
    }

    /// The stage `lua`: runs a script over each exchange.
    ///
    /// - Parameters:
    ///   - code: The script itself.
    ///   - buffer: The messages whose bodies it sees whole.
    /// - Returns: The stage.
    public static func lua(code: String, buffer: [Buffered] = []) -> Component {
        Component(.stage, "lua", [("code", .text(code))])
            .adding("buffer", .list(buffer.map(\.rawValue)))
    }

    /// The stage `lua`, with the script in a file.
    ///
    /// - Parameters:
    ///   - path: The script's file.
    ///   - buffer: The messages whose bodies it sees whole.
    /// - Returns: The stage.
    public static func lua(script path: String, buffer: [Buffered] = []) -> Component {
        Component(.stage, "lua", [("script", .text(path))])
            .adding("buffer", .list(buffer.map(\.rawValue)))
    }

    /// The stage `limit_body`: keeps so many bytes of each body.
    public static func limitBody(_ maxBytes: Int) -> Component {
        Component(.stage, "limit_body", [("max_bytes", .plain("\(maxBytes)B"))])
    }

    /// A stage of the app's own.
    public static func stage(_ name: String, _ factory: any StageFactory) -> Component {
        var component = Component(.stage, name)
        component.stage = factory
        return component
    }

    /// The sink `stdout`: shows exchanges on the terminal, a line each.
    public static let terminal = Component(.sink, "stdout", [("stream", .text("stderr"))])

    /// The sink `ndjson`: a file with a line of JSON for each exchange.
    public static func ndjson(_ path: String) -> Component {
        Component(.sink, "ndjson", [("path", .text(path))])
    }

    /// The sink `sqlite`: a database.
    public static func sqlite(_ path: String) -> Component {
        Component(.sink, "sqlite", [("path", .text(path))])
    }

    /// A sink of the app's own.
    public static func sink(_ name: String, _ factory: any SinkFactory) -> Component {
        var component = Component(.sink, name)
        component.sink = factory
        return component
    }
}
