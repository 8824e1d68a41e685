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
        public var maxMemory: Int?
        /// The most instructions of one call; by default 10,000,000.
        public var maxInstructions: Int?
        /// The longest time of one call; by default one second.
        public var maxTime: Duration?
        /// The most entries of one table besides those with the keys 1 to n; by default 16,384.
        public var maxTable: Int?
        /// The most lines that the script may log in a second; by default 200, 0 for no limit.
        public var maxLog: Int?
        /// The memory of the store `shared`, in bytes; by default 16 MiB.
        public var sharedMaxBytes: Int?

        /// Creates limits; omitted ones have their defaults.
        public init(
            maxMemory: Int? = nil,
            maxInstructions: Int? = nil,
            maxTime: Duration? = nil,
            maxTable: Int? = nil,
            maxLog: Int? = nil,
            sharedMaxBytes: Int? = nil
        ) {
            self.maxMemory = maxMemory
            self.maxInstructions = maxInstructions
            self.maxTime = maxTime
            self.maxTable = maxTable
            self.maxLog = maxLog
            self.sharedMaxBytes = sharedMaxBytes
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
    ///   - reload: Whether the script is reloaded when its file changes.
    /// - Returns: The stage.
    public static func lua(
        script path: String,
        buffer: [Buffered] = [],
        config: Setting? = nil,
        limits: ScriptLimits = ScriptLimits(),
        reload: Bool = false
    ) -> Component {
        Component(.stage, "lua") { options in
            options.set("script", .text(path))
            options.set(config, limits)
            options.set("reload", .truth(reload))
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
        ///   - skip: Media types whose bodies are not stored, such as `image/*`.
        public init(maxBytes: Int? = nil, skip: [String]? = nil) {
            var list = OptionList()
            list.set("max_bytes", maxBytes.map(Value.bytes))
            list.set("skip", skip.map(Value.texts))
            value = list.map
        }
    }

    /// The stage `limit_body`: limits how many bytes of each body are stored.
    ///
    /// - Parameters:
    ///   - maxBytes: The most bytes of a body that are stored.
    ///   - skip: Media types whose bodies are not stored, such as `image/*`.
    ///   - request: Different limits for requests.
    ///   - response: Different limits for responses.
    ///   - messages: The most bytes of each WebSocket message and each event.
    /// - Returns: The stage.
    public static func limitBody(
        maxBytes: Int,
        skip: [String] = [],
        request: BodyLimit? = nil,
        response: BodyLimit? = nil,
        messages: Int? = nil
    ) -> Component {
        Component(.stage, "limit_body") { options in
            options.set("max_bytes", .bytes(maxBytes))
            options.set("skip", .texts(skip))
            options.set("request", request?.value)
            options.set("response", response?.value)
            options.set("messages", messages.map { .map([("max_bytes", .bytes($0))]) })
        }
    }

    /// A stage of the app, which imports `TaplinePlugin`.
    ///
    /// - Parameters:
    ///   - name: Its name in logs and counters, unless it has an id.
    ///   - factory: Makes an instance for each lane; its `hooks` tell which hooks they have.
    /// - Returns: The stage.
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
        set("max_memory", limits.maxMemory.map(Value.bytes))
        set("max_instructions", limits.maxInstructions.map(Value.number))
        set("max_time", limits.maxTime.map(Value.time))
        set("max_table", limits.maxTable.map(Value.number))
        set("max_log", limits.maxLog.map(Value.number))
        set("shared_max_bytes", limits.sharedMaxBytes.map(Value.bytes))
    }
}
