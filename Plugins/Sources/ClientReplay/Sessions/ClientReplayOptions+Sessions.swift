// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineMatching
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineSystem

/// The options of `client_replay` for sessions and tokens.
extension ClientReplayOptions {
    static let sessions = ConfigKey(
        "sessions",
        .sessionKey,
        default: .automatic,
        summary: "What makes requests a session, whose order is kept: `auto` (tokens, then "
            + "connections), `off`, `client`, `cookie NAME`, `header NAME`, `query NAME`, `json $.PATH`, "
            + "or fields of the filter language.",
        example: "cookie sid",
        interpolates: false
    )
    static let map = ConfigKey(
        "map",
        .choice([("auto", true), ("off", false)]),
        default: true,
        summary: "Whether tokens that the recording hands out and sends back are found in it, and "
            + "replaced by those of the new server."
    )
    static let mapFile = ConfigKey(
        "map_file",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "A file of tokens to use instead; if it does not exist, it is written with what "
            + "was found.",
        example: "tokens.yaml"
    )
    static let auth = ConfigKey(
        "auth",
        .maskVariables,
        default: [],
        summary: "The environment variables whose values are sent in place of masks, by the place "
            + "of the mask.",
        example: "{ request header authorization: SHOP_TOKEN }"
    )

    /// Decodes the options; reads the map file, but creates none.
    static func readSessions(
        _ options: Options,
        into settings: inout ClientReplaySettings,
        _ context: inout BuildContext
    ) {
        settings.sessions.key = options[sessions]
        settings.sessions.findsTokens = options[map]
        settings.sessions.substitutes = options[auth].compactMap { $0.substitute(&context) }
        if settings.paths.contains("-"), options[map], options[mapFile] == nil {
            // Finding tokens needs a pass of its own.
            settings.sessions.findsTokens = false
        }
        guard let file = options[mapFile] else { return }
        let exists = (try? FileSystem.status(of: file.value)) != nil
        if exists {
            settings.sessions.bindings = TokenMapFile.read(
                file.value,
                file.location,
                into: &context.diagnostics
            )
        } else if !options[map] || settings.paths.contains("-") {
            context.diagnostics.error(
                at: file.location,
                "there is no such file; found '\(file.value)', expected a file of tokens",
                help: "to write it, set 'map: auto' and read recordings that are files"
            )
        } else {
            settings.sessions.newMapFile = file.value
        }
    }
}

extension OptionType where Value == SessionKey {
    /// What makes a session.
    static var sessionKey: Self {
        Self(
            name: "text",
            schema: ["type": "string"],
            describe: { $0.text }
        ) { node, context in
            guard let text = node.text else {
                return context.mismatch(node, expected: "auto, or a key such as 'cookie sid'")
            }
            do throws(FilterError) {
                return try SessionKey(parsing: text)
            } catch {
                context.diagnostics.error(
                    in: node,
                    at: error.offset..<error.offset + error.length,
                    error.message,
                    help: error.help ?? "the keys are auto, off, client, 'cookie NAME', "
                        + "'header NAME', 'query NAME', 'json $.PATH' and fields of the filter language"
                )
                return nil
            }
        }
    }
}

/// An environment variable whose value is sent in place of masks.
struct MaskVariable: Sendable {
    let place: TokenPlace
    let name: String
    let location: SourceLocation

    /// Returns the value; `nil` with an error if the variable is not set.
    func substitute(_ context: inout BuildContext) -> TokenSubstitute? {
        guard let value = context.environment[name] else {
            context.diagnostics.error(
                at: location,
                "the environment variable '\(name)' is not set"
            )
            return nil
        }
        return TokenSubstitute(place: place, value: Array(value.utf8))
    }
}

extension OptionType where Value == [MaskVariable] {
    /// A mapping from places of masks to the names of environment variables.
    static var maskVariables: Self {
        Self(
            name: "map of text",
            schema: ["type": "object", "additionalProperties": ["type": "string"]]
        ) { node, context in
            guard let pairs = node.pairs else {
                return context.mismatch(
                    node,
                    expected: "a mapping from places to environment variables"
                )
            }
            let variables = pairs.compactMap { pair -> MaskVariable? in
                let place = TokenMapFile.place(pair.key, [.request], &context.diagnostics)
                guard let name = pair.value.text else {
                    return context.mismatch(
                        pair.value,
                        expected: "the name of an environment variable"
                    )
                }
                return place.map {
                    MaskVariable(place: $0, name: name, location: pair.value.location)
                }
            }
            return variables.count == pairs.count ? variables : nil
        }
    }
}
