// SPDX-License-Identifier: MIT

public import TaplinePlugin

extension Component {
    /// The messages whose bodies a stage sees whole before they go on.
    public enum Buffered: String, Sendable {
        /// Requests.
        case request
        /// Responses.
        case response
    }

    /// The bounds of a script.
    public struct ScriptLimits: Sendable {
        /// The memory that the script may hold, in bytes; 32 MiB unless it is given.
        public var memory: Int?
        /// The instructions that one call may take; 10,000,000 unless it is given.
        public var instructions: Int?
        /// The time that one call may take; a second unless it is given.
        public var time: Duration?
        /// The entries that one table may have beside those with the keys 1 to n; 16,384 unless it is
        /// given.
        public var table: Int?
        /// The lines that the script may log in a second; 200 unless it is given, 0 for no limit.
        public var log: Int?
        /// The memory of the store `shared`, in bytes; 16 MiB unless it is given.
        public var shared: Int?

        /// Bounds; the usual ones where they are left out.
        public init(
            memory: Int? = nil,
            instructions: Int? = nil,
            time: Duration? = nil,
            table: Int? = nil,
            log: Int? = nil,
            shared: Int? = nil
        ) {
            self.memory = memory
            self.instructions = instructions
            self.time = time
            self.table = table
            self.log = log
            self.shared = shared
        }
    }

    /// The stage `lua`: runs a script over each exchange.
    ///
    /// - Parameters:
    ///   - code: The script itself.
    ///   - buffer: The messages whose bodies it sees whole.
    ///   - config: What the script's `start` gets.
    ///   - limits: The bounds of the script.
    /// - Returns: The stage.
    public static func lua(
        code: String,
        buffer: [Buffered] = [],
        config: Setting? = nil,
        limits: ScriptLimits = ScriptLimits()
    ) -> Component {
        Component(.stage, "lua") { options in
            options.set("code", .text(code))
            options.set(config, limits)
        }
        .buffer(buffer)
    }

    /// The stage `lua`, with the script in a file.
    ///
    /// - Parameters:
    ///   - path: The script's file.
    ///   - buffer: The messages whose bodies it sees whole.
    ///   - config: What the script's `start` gets.
    ///   - limits: The bounds of the script.
    ///   - reloads: Whether the script is taken anew when its file has changed.
    /// - Returns: The stage.
    public static func lua(
        script path: String,
        buffer: [Buffered] = [],
        config: Setting? = nil,
        limits: ScriptLimits = ScriptLimits(),
        reloads: Bool = false
    ) -> Component {
        Component(.stage, "lua") { options in
            options.set("script", .text(path))
            options.set(config, limits)
            options.set("reload", .truth(reloads))
        }
        .buffer(buffer)
    }

    /// What `limit_body` keeps of the bodies of one direction.
    public struct BodyLimit: Sendable {
        fileprivate let value: Value

        /// A limit; what is left out is that of both directions.
        ///
        /// - Parameters:
        ///   - maxBytes: The most bytes that are kept of a body.
        ///   - skipping: Media types of which nothing is kept, such as `image/*`.
        public init(_ maxBytes: Int? = nil, skipping: [String]? = nil) {
            var list = OptionList()
            list.set("max_bytes", maxBytes.map(Value.bytes))
            list.set("skip", skipping.map(Value.texts))
            value = list.map
        }
    }

    /// The stage `limit_body`: keeps so many bytes of each body.
    ///
    /// - Parameters:
    ///   - maxBytes: The most bytes that are kept of a body.
    ///   - skipping: Media types of which nothing is kept, such as `image/*`.
    ///   - request: What is different for requests.
    ///   - response: What is different for responses.
    ///   - messages: The most bytes of each WebSocket message and each event.
    /// - Returns: The stage.
    public static func limitBody(
        _ maxBytes: Int,
        skipping: [String] = [],
        request: BodyLimit? = nil,
        response: BodyLimit? = nil,
        messages: Int? = nil
    ) -> Component {
        Component(.stage, "limit_body") { options in
            options.set("max_bytes", .bytes(maxBytes))
            options.set("skip", .texts(skipping))
            options.set("request", request?.value)
            options.set("response", response?.value)
            options.set("messages", messages.map { .map([("max_bytes", .bytes($0))]) })
        }
    }

    /// A stage of the app's own.
    public static func stage(_ name: String, _ factory: any StageFactory) -> Component {
        var component = Component(.stage, name)
        component.stage = factory
        return component
    }
}

extension Component.OptionList {
    /// What scripts have in common, wherever they stand.
    fileprivate mutating func set(_ config: Component.Setting?, _ limits: Component.ScriptLimits) {
        typealias Value = Component.Value
        set("config", config?.value)
        set("max_memory", limits.memory.map(Value.bytes))
        set("max_instructions", limits.instructions.map(Value.number))
        set("max_time", limits.time.map(Value.time))
        set("max_table", limits.table.map(Value.number))
        set("max_log", limits.log.map(Value.number))
        set("shared_max_bytes", limits.shared.map(Value.bytes))
    }
}
