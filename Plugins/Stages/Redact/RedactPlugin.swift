// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineCrypto
internal import TaplineFiles
public import TaplinePlugin

extension StagePlugin {
    /// The stage `redact`: takes secrets out of what is kept.
    public static var redact: StagePlugin {
        StagePlugin(
            name: "redact",
            summary:
                "Masks, removes or hashes secrets in what is kept; live traffic stays as it is.",
            options: RedactOptions.schema,
            build: { options, context in
                guard let key = RedactBuilder.key(options, &context) else { return nil }
                let detectors = DetectorOptions.build(options, &context)
                guard !context.diagnostics.hasErrors else { return nil }
                return RedactBuilder.rules(options, key, detectors, &context).map {
                    RedactFactory($0, detectors, marks: options[RedactOptions.mark])
                }
            }
        )
    }
}

/// Turns options into rules.
enum RedactBuilder {
    /// The key of hashes; a random one, the same in all lanes, where none is given.
    static func key(_ options: Options, _ context: inout BuildContext) -> HMACSHA256? {
        let text = options[RedactOptions.hashKey]
        let path = options[RedactOptions.hashKeyFile]
        var bytes: [UInt8]
        switch (text, path) {
        case (nil, nil):
            return HMACSHA256(key: SecureRandom().bytes(count: 32).span)
        case (_?, let path?):
            context.diagnostics.error(
                at: options.location(of: RedactOptions.hashKeyFile) ?? context.location,
                "both 'hash_key' and 'hash_key_file' are given; expected one of them",
                help: path.isEmpty ? nil : "remove one of them"
            )
            return nil
        case (let text?, nil):
            bytes = Array(text.utf8)
        case (nil, let path?):
            guard let read = read(path, options, &context) else { return nil }
            bytes = read
        }
        guard bytes.count >= 16 else {
            let place =
                text == nil
                ? options.location(of: RedactOptions.hashKeyFile)
                : options.location(of: RedactOptions.hashKey)
            context.diagnostics.error(
                at: place ?? context.location,
                "the key is too short; found \(bytes.count) bytes, expected at least 16",
                help: "make one with 'openssl rand -hex 32'"
            )
            return nil
        }
        return HMACSHA256(key: bytes.span)
    }

    private static func read(
        _ path: String,
        _ options: Options,
        _ context: inout BuildContext
    ) -> [UInt8]? {
        do throws(FileError) {
            var bytes: [UInt8] = []
            let file = try File(path, for: .read)
            while bytes.count <= 4096 {
                guard try file.read(appendingTo: &bytes, atMost: 4097) > 0 else { break }
            }
            // The line end that editors add is no part of a key.
            while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
            return bytes
        } catch {
            context.diagnostics.error(
                at: options.location(of: RedactOptions.hashKeyFile) ?? context.location,
                "cannot read the key file; \(error.reason)"
            )
            return nil
        }
    }

    /// All rules of the options: those of the preset, then the user's, which win.
    static func rules(
        _ options: Options,
        _ key: HMACSHA256,
        _ detectors: (any DetectorSet)?,
        _ context: inout BuildContext
    ) -> RuleSet? {
        let action = options[RedactOptions.action]
        var rules = RuleList()
        rules.action = action
        rules.limits.maxDepth = options[RedactOptions.maxDepth]
        rules.limits.maxDecodedBytes = options[RedactOptions.maxDecodedBytes]
        if options[RedactOptions.preset] == .standard { rules.addStandard(action) }
        for rule in options[RedactOptions.headers] {
            rules.addHeader(rule.name, rule.action ?? action)
        }
        for rule in options[RedactOptions.cookies] {
            rules.addCookie(rule.name, rule.action ?? action)
        }
        for rule in options[RedactOptions.query] {
            rules.addQuery(rule.name, rule.action ?? action)
        }
        for rule in options[RedactOptions.form] {
            rules.addForm(rule.name, rule.action ?? action)
        }
        for rule in options[RedactOptions.json] {
            guard rules.addJSON(rule.name, rule.action ?? action) else {
                context.diagnostics.error(
                    at: options.location(of: RedactOptions.json) ?? context.location,
                    "too many paths; expected at most \(JSONPathRules.limit) steps in all"
                )
                return nil
            }
        }
        let own = DetectorOptions.ownKinds(options)
        for kind in detectors?.kinds ?? [] {
            rules.addDetector(kind, action, isOwn: own.contains(kind))
        }
        return RuleSet(rules, Replacement(mask: options[RedactOptions.mask], key: key))
    }
}
