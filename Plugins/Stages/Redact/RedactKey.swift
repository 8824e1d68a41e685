// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineCrypto
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// The key for hashes and stand-ins, read from the environment or a file.
///
/// It cannot be in the configuration, which is stored, shown and passed on. No message contains it,
/// nor what a user wrote who mistook `key_env` for the key itself.
enum RedactKey {
    /// The minimum size of a key in bytes.
    private static let minimum = 16
    /// The maximum size of a key in bytes; a longer one is rejected.
    private static let maximum = 4096

    /// The name of an environment variable.
    static let variable = OptionType<String?>(
        name: "text",
        schema: ["type": ["string", "null"], "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"],
        describe: { $0 }
    ) { node, context in
        guard let text = node.text, isName(text) else {
            return context.fail(at: hidden(node.location))
        }
        return text
    }

    /// Returns the key that the options name, or a random one.
    ///
    /// The random key is the same in all lanes; it is used if the options name no key and no rule
    /// needs one that outlasts the run.
    static func read(_ options: Options, _ context: inout BuildContext) -> [UInt8]? {
        let name = options[RedactOptions.keyEnvironment]
        let path = options[RedactOptions.keyFile]
        let place: SourceLocation?
        var key: [UInt8]
        switch (name, path) {
        case (nil, nil):
            // Under 'preset: strict', stand-ins link only the records of one run.
            if options[RedactOptions.preset] != .strict, let place = pseudonyms(options) {
                context.diagnostics.error(
                    at: place,
                    "'pseudonym' requires a key; found neither 'key_env' nor 'key_file'",
                    help: "create one with 'openssl rand -hex 32' and name its variable: "
                        + "'key_env: TAPLINE_REDACT_KEY'"
                )
                return nil
            }
            return SecureRandom().bytes(count: 32)
        case (_?, _?):
            context.diagnostics.error(
                at: options.location(of: RedactOptions.keyFile) ?? context.location,
                "both 'key_env' and 'key_file' are set; expected only one of them",
                help: "remove one of them"
            )
            return nil
        case (let name?, nil):
            place = options.location(of: RedactOptions.keyEnvironment).map {
                isUsual(name) ? $0 : hidden($0)
            }
            guard let value = context.environment[name] else {
                context.diagnostics.error(
                    at: place ?? context.location,
                    "the environment variable named by 'key_env' is not set",
                    help: "set it to a key created with 'openssl rand -hex 32'; "
                        + "test files set it under 'env'"
                )
                return nil
            }
            key = Array(value.utf8)
        case (nil, let path?):
            place = options.location(of: RedactOptions.keyFile)
            guard let read = file(path, place, &context) else { return nil }
            key = read
        }
        // The line end that editors and shells add is not part of the key.
        while let last = key.last, last == 0x0A || last == 0x0D { key.removeLast() }
        return check(key, place, &context)
    }

    private static func check(
        _ key: [UInt8],
        _ place: SourceLocation?,
        _ context: inout BuildContext
    ) -> [UInt8]? {
        guard key.count < minimum || key.count > maximum else { return key }
        let expected = key.count < minimum ? "at least \(minimum)" : "at most \(maximum)"
        context.diagnostics.error(
            at: place ?? context.location,
            "the key is too \(key.count < minimum ? "short" : "long"); "
                + "found \(key.count) bytes, expected \(expected)",
            help: "create one with 'openssl rand -hex 32'"
        )
        return nil
    }

    private static func file(
        _ path: String,
        _ place: SourceLocation?,
        _ context: inout BuildContext
    ) -> [UInt8]? {
        do throws(FileError) {
            var bytes: [UInt8] = []
            let file = try File(path, for: .read)
            while bytes.count <= maximum + 2 {
                guard try file.read(appendingTo: &bytes, atMost: maximum + 3) > 0 else { break }
            }
            return bytes
        } catch {
            context.diagnostics.error(
                at: place ?? context.location,
                "cannot read the key file; \(error.reason)"
            )
            return nil
        }
    }

    /// Returns the first place in the options that requests stand-ins.
    static func pseudonyms(_ options: Options) -> SourceLocation? {
        if options[RedactOptions.action] == .pseudonym {
            return options.location(of: RedactOptions.action)
        }
        for list in RedactOptions.ruleLists {
            let rules = options[list]
            if rules.contains(where: { $0.action == .pseudonym }) {
                return options.location(of: list)
            }
        }
        return nil
    }
}

// MARK: - Messages without the key

extension RedactKey {
    private static func isName(_ text: String) -> Bool {
        text.utf8.first?.isDigit == false
            && text.utf8.allSatisfy { Pseudonyms.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether a name looks like that of a variable and not like a key given by mistake.
    private static func isUsual(_ name: String) -> Bool {
        name.utf8.count <= 64 && name.utf8.allSatisfy { !(0x61...0x7A ~= $0) }
    }

    /// Returns the same location in a copy of the text in which the value is masked.
    fileprivate static func hidden(_ location: SourceLocation) -> SourceLocation {
        var bytes = location.source.bytes
        for index in location.byteOffset..<min(location.byteEnd, bytes.count) {
            bytes[index] = UInt8(ascii: "*")
        }
        let source = ConfigSource(
            name: location.source.name,
            bytes: bytes,
            folder: location.source.folder,
            hasLines: location.source.hasLines
        )
        return source.location(at: location.byteOffset, length: location.length)
    }
}

extension OptionContext {
    fileprivate mutating func fail(at place: SourceLocation) -> String?? {
        diagnostics.error(
            at: place,
            "invalid value for 'key_env'; expected the name of an environment variable",
            help: "write only the name: 'key_env: TAPLINE_REDACT_KEY'; the key is not allowed here"
        )
        return nil
    }
}
