// SPDX-License-Identifier: MIT

public import TaplinePlugin

extension Component {
    /// The messages whose bodies a stage sees completely before they are passed on.
    public enum Buffered: String, Sendable {
        /// Requests.
        case request
        /// Responses.
        case response
    }

    /// The limits of a script.
    public struct ScriptLimits: Sendable {
        /// The most memory of the script, in bytes; by default 32 MiB.
        public var memory: Int?
        /// The most instructions of one call; by default 10,000,000.
        public var instructions: Int?
        /// The longest time of one call; by default one second.
        public var time: Duration?
        /// The most entries of one table besides those with the keys 1 to n; by default 16,384.
        public var table: Int?
        /// The most lines that the script may log in a second; by default 200, 0 for no limit.
        public var log: Int?
        /// The memory of the store `shared`, in bytes; by default 16 MiB.
        public var shared: Int?

        /// Creates limits; omitted ones have their defaults.
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
    ///   - buffer: The messages whose bodies the script sees completely.
    ///   - config: The argument of the script's `start`.
    ///   - limits: The limits of the script.
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
    ///   - buffer: The messages whose bodies the script sees completely.
    ///   - config: The argument of the script's `start`.
    ///   - limits: The limits of the script.
    ///   - reloads: Whether the script is reloaded when its file changes.
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

    /// What `limit_body` stores of the bodies of one direction.
    public struct BodyLimit: Sendable {
        fileprivate let value: Value

        /// Creates a limit; omitted values are those of both directions.
        ///
        /// - Parameters:
        ///   - maxBytes: The most bytes of a body that are stored.
        ///   - skipping: Media types whose bodies are not stored, such as `image/*`.
        public init(_ maxBytes: Int? = nil, skipping: [String]? = nil) {
            var list = OptionList()
            list.set("max_bytes", maxBytes.map(Value.bytes))
            list.set("skip", skipping.map(Value.texts))
            value = list.map
        }
    }

    /// The stage `limit_body`: limits how many bytes of each body are stored.
    ///
    /// - Parameters:
    ///   - maxBytes: The most bytes of a body that are stored.
    ///   - skipping: Media types whose bodies are not stored, such as `image/*`.
    ///   - request: Different limits for requests.
    ///   - response: Different limits for responses.
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

    /// A stage of the app.
    public static func stage(_ name: String, _ factory: any StageFactory) -> Component {
        var component = Component(.stage, name)
        component.stage = factory
        return component
    }
}

extension Component.OptionList {
    /// Sets the options that all scripts share.
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
