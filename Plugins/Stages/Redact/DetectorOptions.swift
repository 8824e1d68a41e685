// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// Which detectors are enabled.
enum DetectorOption: Sendable {
    case off
    case standard
    case named([Located<String>])
}

/// The options of `redact` that enable detectors.
enum DetectorOptions {
    static let detectors = ConfigKey(
        "detectors",
        choice,
        default: .off,
        summary: "Finds secrets by their form: the standard detectors, those you name, or none.",
        example: "standard"
    )
    static let patterns = ConfigKey(
        "patterns",
        .list(of: pattern),
        default: [],
        summary: "Custom secrets: a name, an expression in RE2 syntax, and the group to redact.",
        example: "[{ name: badge, regex: 'BDG-[0-9]{8}' }]"
    )
    static let allow = ConfigKey(
        "allow",
        .list(of: .text, acceptsSingle: true),
        default: [],
        summary: "Known values that detectors ignore; '*' matches any characters.",
        example: "['4111 1111 1111 1111']"
    )

    /// `standard`, `off`, a name, or a list of names.
    private static let choice = OptionType<DetectorOption>(
        name: "standard | off | list of names",
        schema: [
            "anyOf": [
                ["enum": ["standard", "off"]], OptionType<String>.text.schema,
                OptionType<[String]>.list(of: .text).schema,
            ]
        ],
        describe: { option in
            switch option {
            case .off: "off"
            case .standard: "standard"
            case .named: nil
            }
        }
    ) { node, context in
        switch node.text {
        case "off"?: return .off
        case "standard"?: return .standard
        default:
            let names = OptionType<[Located<String>]>.list(
                of: OptionType<String>.text.located,
                acceptsSingle: true
            )
            return names.decode(node, &context).map { .named($0) }
        }
    }

    private static let patternName = ConfigKey<String>(
        "name",
        .text,
        summary: "The name of the findings in counters and tags."
    )
    private static let patternRegex = ConfigKey<Located<String>>(
        "regex",
        OptionType<String>.text.located,
        summary: "The regular expression."
    )
    private static let patternGroup = ConfigKey(
        "group",
        .integer(in: 0...99),
        default: 0,
        summary: "The group that contains the secret; 0 is the whole match."
    )
    private static let patternSchema = OptionSchema(patternName, patternRegex, patternGroup)

    /// `{ name: …, regex: …, group: … }`.
    private static let pattern = OptionType<SecretPattern>(
        name: "patterns",
        schema: patternSchema.jsonSchema(),
        describe: { $0.name }
    ) { node, context in
        guard let options = patternSchema.decode(node, &context) else { return nil }
        guard !options[patternName].isEmpty else { return context.error(node, "the name is empty") }
        return SecretPattern(
            name: options[patternName],
            regex: options[patternRegex],
            group: options[patternGroup]
        )
    }

    /// Returns the kinds of secrets that the user named.
    static func ownKinds(_ options: Options) -> Set<String> {
        var kinds = Set(options[patterns].map(\.name))
        if case .named(let names) = options[detectors] { kinds.formUnion(names.map(\.value)) }
        return kinds
    }

    /// What an app needs for detectors.
    private static let appNeeds =
        "the product 'TaplineDetectors', and Tapline.start(configuration: …, plugins: .detectors)"

    /// Builds the requested detectors; returns `nil` if they are off or cannot be built.
    static func build(_ options: Options, _ context: inout BuildContext) -> (any DetectorSet)? {
        var choice = DetectorChoice(
            patterns: options[patterns],
            allowed: options[allow]
        )
        switch options[detectors] {
        case .off: break
        case .standard: choice.standard = true
        case .named(let names):
            choice.names = names.filter { $0.value != "standard" }
            choice.standard = choice.names.count < names.count
        }
        let asks = choice.standard || !choice.names.isEmpty
        guard asks || !choice.patterns.isEmpty else {
            if context.detectors != nil, !options.isSet(detectors) {
                let help =
                    "add 'detectors: standard' to find them also by form, or 'detectors: off'"
                context.diagnostics.note(
                    at: context.location,
                    "secrets are found only by name",
                    help: context.isForOtherProgram ? "\(help); the former needs \(appNeeds)" : help
                )
            }
            return nil
        }
        let place = asks ? options.location(of: detectors) : options.location(of: patterns)
        guard let library = context.detectors else {
            let option = asks ? detectors.name : patterns.name
            context.diagnostics.error(
                at: place ?? context.location,
                "'\(option)' requires the product 'TaplineDetectors', which is not linked",
                help: "link it and add '.detectors' to the plugins: "
                    + "Tapline.start(configuration: …, plugins: .detectors); or remove the option"
            )
            return nil
        }
        if context.isForOtherProgram {
            context.diagnostics.warning(
                at: place ?? context.location,
                "this file starts only in an app with detectors",
                help: "the app needs \(appNeeds)"
            )
        }
        return library.build(choice, into: &context.diagnostics)
    }
}
