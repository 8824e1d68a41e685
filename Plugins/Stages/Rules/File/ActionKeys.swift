// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin

/// The actions of a rule; each element of the list has one of these keys, or is a word.
enum ActionKeys {
    static let respond = ConfigKey(
        "respond",
        RespondKeys.type.optional,
        default: nil,
        summary: "Answers instead of the server, or in place of its response.",
        example: "{ status: 503, body: closed }"
    )
    static let map = ConfigKey(
        "map",
        MapKeys.type.optional,
        default: nil,
        summary: "Sends the request elsewhere.",
        example: "{ host: staging.test, port: 8443 }"
    )
    static let set = ConfigKey(
        "set",
        PlaceKeys.assignments.optional,
        default: nil,
        summary: "Sets parts of the messages, and tags; the values are templates.",
        example: "{ request.header.X-Debug: \"1\", tag.team: checkout }"
    )
    static let remove = ConfigKey(
        "remove",
        OptionType<[RulePlace]?>.optional(
            .list(of: PlaceKeys.removable, acceptsSingle: true, allowsEmpty: false)
        ),
        default: nil,
        summary: "Removes parts of the messages, and tags.",
        example: "[request.header.Cookie, request.query.debug]"
    )
    static let replace = ConfigKey(
        "replace",
        ReplaceKeys.type.optional,
        default: nil,
        summary: "Replaces text or JSON values in a body, which is buffered for it.",
        example: "{ text: https, with: http }"
    )
    static let delay = ConfigKey(
        "delay",
        DelayKeys.type.optional,
        default: nil,
        summary: "Waits for a time, or for a random time within a range.",
        example: "{ min: 100ms, max: 2s }"
    )
    static let throttle = ConfigKey(
        "throttle",
        ThrottleKeys.type.optional,
        default: nil,
        summary: "Limits the speed through `proxy`, in bytes a second, both ways or each.",
        example: "{ up: 16KiB, down: 64KiB }"
    )
    static let fail = ConfigKey(
        "fail",
        FailKeys.type.optional,
        default: nil,
        summary: "Makes exchanges fail, all or a share of them.",
        example: "{ error: reset, share: 0.1 }"
    )
    static let pause = ConfigKey(
        "pause",
        PauseKeys.type.optional,
        default: nil,
        summary: "Waits for a decision in the inspector, up to a time limit.",
        example: "{ timeout: 1m }"
    )
    static let schema = OptionSchema(
        respond,
        map,
        set,
        remove,
        replace,
        delay,
        throttle,
        fail,
        pause
    )

    /// The actions that are a word.
    private static let words: [(String, RuleAction)] = [
        ("pass", .pass), ("stop", .stop), ("pause", .pause(PauseKeys.defaultTime)),
    ]
    private static var names: [String] {
        schema.keys.map(\.name) + words.map(\.0).filter { schema[$0] == nil }
    }

    /// An element of the list; `set` and `remove` are several actions.
    static let type = OptionType<[RuleAction]>(
        name: "actions",
        schema: [
            "anyOf": [
                ["enum": .array(words.map { .string($0.0) })],
                schema.jsonSchema().adding([("minProperties", 1), ("maxProperties", 1)]),
            ]
        ]
    ) { node, context in
        if let text = node.text {
            if let word = words.first(where: { $0.0 == text }) { return [word.1] }
            return context.error(
                node,
                "unknown action \(node.found); expected \(names.joined(separator: ", "))",
                help: schema[text].map { "write '\($0.name): …', with its options" }
                    ?? Suggestion.help(for: text, among: names)
            )
        }
        guard let pairs = node.pairs else {
            return context.mismatch(node, expected: "an action such as 'delay: 1s'")
        }
        guard let options = schema.decode(node, &context) else { return nil }
        let actions = actions(options)
        guard pairs.count == 1, !actions.isEmpty else {
            return context.error(
                node,
                "an element of 'actions' has one action; found \(pairs.count)",
                help: "begin each action with '- ' on a line of its own"
            )
        }
        return actions
    }

    private static func actions(_ options: Options) -> [RuleAction] {
        var actions: [RuleAction] = []
        if let response = options[respond] { actions.append(.respond(response)) }
        if let mapping = options[map] { actions.append(.map(mapping)) }
        actions += options[set] ?? []
        for place in options[remove] ?? [] { actions.append(.remove(place)) }
        if let replacement = options[replace] { actions.append(.replace(replacement)) }
        if let range = options[delay] { actions.append(.delay(range)) }
        if let limits = options[throttle] { actions.append(.throttle(limits)) }
        if let failure = options[fail] { actions.append(.fail(failure)) }
        if let time = options[pause] { actions.append(.pause(time)) }
        return actions
    }
}

/// The options of `pause`.
enum PauseKeys {
    /// The time of a `pause` without options, in microseconds.
    static let defaultTime: Int64 = 30_000_000

    static let timeout = ConfigKey(
        "timeout",
        OptionType<Duration>.duration,
        default: .seconds(30),
        summary: "The time after which the exchange passes on unchanged.",
        example: "5m"
    )
    static let schema = OptionSchema(timeout)

    /// The longest wait, in microseconds.
    static let type = OptionType<Int64>(name: "pause", schema: schema.jsonSchema()) {
        node,
        context in
        guard let options = schema.decode(node, &context) else { return nil }
        return Microseconds(options[timeout]).count
    }
}

/// The options of `delay`.
enum DelayKeys {
    static let min = ConfigKey(
        "min",
        OptionType<Duration>.duration,
        summary: "The shortest time.",
        example: "100ms"
    )
    static let max = ConfigKey(
        "max",
        OptionType<Duration>.duration,
        summary: "The longest time.",
        example: "2s"
    )
    static let schema = OptionSchema(min, max)

    /// A time, or a range of times, in microseconds.
    static let type = OptionType<ClosedRange<Int64>>(
        name: "time or range",
        schema: ["anyOf": [OptionType<Duration>.duration.schema, schema.jsonSchema()]]
    ) { node, context in
        guard node.pairs != nil else {
            return OptionType<Duration>.duration.decode(node, &context).map {
                let time = Microseconds($0).count
                return time...time
            }
        }
        guard let options = schema.decode(node, &context) else { return nil }
        let (first, last) = (Microseconds(options[min]).count, Microseconds(options[max]).count)
        guard first <= last else {
            return context.error(node, "'min' is greater than 'max'", help: "exchange the two")
        }
        return first...last
    }
}

/// The options of `throttle`.
enum ThrottleKeys {
    static let up = ConfigKey(
        "up",
        OptionType<Int>.byteSize.optional,
        default: nil,
        summary: "The bytes a second towards the server.",
        example: "16KiB"
    )
    static let down = ConfigKey(
        "down",
        OptionType<Int>.byteSize.optional,
        default: nil,
        summary: "The bytes a second towards the client.",
        example: "64KiB"
    )
    static let schema = OptionSchema(up, down)

    /// A speed for both ways, or one for each.
    static let type = OptionType<Throttle>(
        name: "speed",
        schema: ["anyOf": [OptionType<Int>.byteSize.schema, schema.jsonSchema()]]
    ) { node, context in
        let limits: Throttle
        if node.pairs == nil {
            guard let both = OptionType<Int>.byteSize.decode(node, &context) else { return nil }
            limits = Throttle(up: both, down: both)
        } else {
            guard let options = schema.decode(node, &context) else { return nil }
            guard options[up] ?? 1 > 0, options[down] ?? 1 > 0 else {
                return context.error(node, "a speed is 0; expected at least 1B")
            }
            limits = Throttle(up: options[up] ?? 0, down: options[down] ?? 0)
        }
        guard limits.up > 0 || limits.down > 0 else {
            return context.error(
                node,
                "'throttle' has no speed; expected up or down, such as 64KiB"
            )
        }
        return limits
    }
}

/// The options of `fail`.
enum FailKeys {
    static let error = ConfigKey(
        "error",
        OptionType<String?>.optional(.choice(["reset", "timeout"])),
        default: nil,
        summary: "The failure of the network: the connection is closed, at once or after a wait.",
        example: "reset"
    )
    static let status = ConfigKey(
        "status",
        OptionType<Int>.integer(in: 400...599).optional,
        default: nil,
        summary: "The status of an empty response instead.",
        example: "503"
    )
    static let share = ConfigKey(
        "share",
        OptionType<Double>.number(in: 0...1),
        default: 1,
        summary: "The share of exchanges that fail."
    )
    static let after = ConfigKey(
        "after",
        OptionType<Duration>.duration.optional,
        default: nil,
        summary: "The wait before the failure; by default 30s for `timeout`, none for others.",
        example: "5s"
    )
    static let schema = OptionSchema(error, status, share, after)

    /// A kind of failure, or options.
    static let type = OptionType<RuleFailure>(
        name: "failure",
        schema: [
            "anyOf": [
                ["enum": ["reset", "timeout"]],
                OptionType<Int>.integer(in: 400...599).schema,
                schema.jsonSchema(),
            ]
        ]
    ) { node, context in
        if let text = node.text {
            if Int(text) != nil {
                let status = OptionType<Int>.integer(in: 400...599).decode(node, &context)
                return status.map { RuleFailure(kind: .status($0)) }
            }
            guard let kind = kind(text) else {
                return context.error(
                    node,
                    "unknown failure \(node.found); expected reset, timeout, or a status",
                    help: Suggestion.help(for: text, among: ["reset", "timeout"])
                )
            }
            return RuleFailure(kind: kind, wait: defaultWait(of: kind))
        }
        guard let options = schema.decode(node, &context) else { return nil }
        let found: RuleFailure.Kind?
        switch (options[error], options[status]) {
        case (let name?, nil): found = kind(name)
        case (nil, let status?): found = .status(status)
        default: found = nil
        }
        guard let found else {
            return context.error(node, "expected exactly one of 'error' and 'status'")
        }
        return RuleFailure(
            kind: found,
            share: options[share],
            wait: options[after].map { Microseconds($0).count } ?? defaultWait(of: found)
        )
    }

    private static func kind(_ name: String) -> RuleFailure.Kind? {
        switch name {
        case "reset": .reset
        case "timeout": .timeout
        default: nil
        }
    }

    private static func defaultWait(of kind: RuleFailure.Kind) -> Int64 {
        if case .timeout = kind { 30_000_000 } else { 0 }
    }
}
