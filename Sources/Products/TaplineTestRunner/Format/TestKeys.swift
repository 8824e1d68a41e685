// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// The options of a test file.
enum TestFileKeys {
    static let pipeline = ConfigKey(
        "pipeline",
        OptionType<String>.path.located,
        summary: "The pipeline file that is tested.",
        example: "pipeline.yaml",
        interpolates: false
    )
    static let tests = ConfigKey(
        "tests",
        OptionType<[TestDeclaration]>.list(of: TestKeys.type, allowsEmpty: false),
        summary: "The tests.",
        example: "[{ name: …, exchange: …, expect: … }]",
        interpolates: false
    )

    /// The options, in the order of the reference page.
    static let schema = OptionSchema(
        [pipeline] as [any ConfigKeyDeclaration] + SharedTestKeys.keys + [tests]
    )
}

/// The options that can be given for all tests of a file and for one of them.
enum SharedTestKeys {
    static let stages = ConfigKey(
        "stages",
        OptionType<[Located<String>]?>.optional(
            .list(of: OptionType<String>.text.located, acceptsSingle: true, allowsEmpty: false)
        ),
        default: nil,
        summary: "The stages that run, by id; by default all.",
        example: "[lua]",
        interpolates: false
    )
    static let set = ConfigKey(
        "set",
        OptionType<ConfigNode?>(
            name: "map of any value",
            schema: ["type": "object"]
        ) { node, context in
            if node.pairs != nil { return .some(node) }
            return context.mismatch(node, expected: "options, such as 'lua.max_time: 5s'")
        },
        default: nil,
        summary: "Stage options to set, as with `--set`: `ID.OPTION` and the value.",
        example: "{ lua.max_time: 5s }",
        interpolates: false
    )
    static let env = ConfigKey(
        "env",
        OptionType<[ConfigEntry<String>]>.map(of: .text),
        default: [],
        summary: "The environment variables of the pipeline file, instead of those of the process.",
        example: "{ API_KEY: test }",
        interpolates: false
    )
    static let clock = ConfigKey(
        "clock",
        OptionType<Timestamp>.timestamp.optional,
        default: nil,
        summary: "The current time for scripts; by default 2026-01-01T00:00:00Z.",
        example: "2026-03-29T01:59:59Z",
        interpolates: false
    )
    static let seed = ConfigKey(
        "seed",
        OptionType<Int>.integer(in: 1...Int.max).optional,
        default: nil,
        summary: "The seed of random generators; by default 1.",
        example: "7",
        interpolates: false
    )

    static let keys: [any ConfigKeyDeclaration] = [stages, set, env, clock, seed]
}

/// The options of one test.
enum TestKeys {
    static let name = ConfigKey(
        "name",
        OptionType<String>.text.located,
        summary: "The name of the test, unique within the file.",
        example: "adds the team header",
        interpolates: false
    )
    static let steps = ConfigKey(
        "steps",
        OptionType<[TestStep]>.list(of: StepKeys.type, allowsEmpty: false),
        default: [],
        summary:
            "Several exchanges, one after the other, each with its expectation; scripts keep "
            + "their state from one to the next.",
        example: "[{ exchange: …, expect: … }]",
        interpolates: false
    )

    /// The options, in the order of the reference page.
    static let schema = OptionSchema(
        [name] as [any ConfigKeyDeclaration] + StepKeys.keys + [steps] + SharedTestKeys.keys
    )

    /// A test as an option.
    static let type = OptionType<TestDeclaration>(name: "test", schema: schema.jsonSchema()) {
        node,
        context in
        guard let options = schema.decode(node, &context),
            let steps = steps(options, node, &context)
        else { return nil }
        return TestDeclaration(options: options, steps: steps)
    }

    private static func steps(
        _ options: Options,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> [TestStep]? {
        let isSingle = options.isSet(StepKeys.exchange) || options.isSet(StepKeys.expect)
        guard options.isSet(steps) else {
            return StepKeys.step(options, node, &context).map { [$0] }
        }
        guard isSingle else { return options[steps] }
        return context.error(
            node,
            "the test has both 'steps' and an exchange or an expectation of its own; "
                + "expected one of them",
            help: "move them into 'steps'"
        )
    }
}

/// The options of one step of a test, or of a test with one step.
enum StepKeys {
    static let exchange = ConfigKey(
        "exchange",
        ExchangeKeys.type.optional,
        default: nil,
        summary: "The exchange that is passed through the stages.",
        example: "{ request: GET https://shop.test/ }",
        interpolates: false
    )
    static let expect = ConfigKey(
        "expect",
        ExpectationKeys.type.optional,
        default: nil,
        summary: "The expected outcome.",
        example: "{ tags: { team: checkout } }",
        interpolates: false
    )

    static let keys: [any ConfigKeyDeclaration] = [exchange, expect]
    static let schema = OptionSchema(keys)

    /// A step as an option.
    static let type = OptionType<TestStep>(name: "step", schema: schema.jsonSchema()) {
        node,
        context in
        guard let options = schema.decode(node, &context) else { return nil }
        return step(options, node, &context)
    }

    fileprivate static func step(
        _ options: Options,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> TestStep? {
        guard let exchange = options[exchange] else {
            return context.error(
                node,
                "'exchange' is missing",
                help: "add 'exchange: { request: GET https://shop.test/ }'"
            )
        }
        guard let expectation = options[expect], !expectation.checks.isEmpty else {
            return context.error(
                options[expect].map { ConfigNode(.null, at: $0.location) } ?? node,
                "'expect' is missing or empty; a test must expect something",
                help: "add 'expect: { response: { status: 200 } }'"
            )
        }
        return TestStep(exchange: exchange, expectation: expectation)
    }
}

/// A test whose options are valid, without the options that it shares with its file.
struct TestDeclaration: Sendable {
    let options: Options
    let steps: [TestStep]
}
