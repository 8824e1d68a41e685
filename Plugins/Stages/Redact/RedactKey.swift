// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineCrypto
internal import TaplineFiles
internal import TaplineModel
internal import TaplinePlugin

/// The key of hashes and stand-ins: it comes from the environment or a file, and cannot stand in
/// the configuration, which is stored, shown and passed on.
///
/// No message holds it, nor what somebody wrote who took `key_env` for the key itself.
enum RedactKey {
    /// How many bytes a key has at least.
    private static let minimum = 16
    /// How many bytes of a file are read; a key of more is refused.
    private static let maximum = 4096

    /// The name of a variable.
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

    /// The key that options name; a random one, the same in all lanes, where they name none and no
    /// rule needs one that lasts.
    static func read(_ options: Options, _ context: inout BuildContext) -> [UInt8]? {
        let name = options[RedactOptions.keyEnvironment]
        let path = options[RedactOptions.keyFile]
        let place: SourceLocation?
        var key: [UInt8]
        switch (name, path) {
        case (nil, nil):
            // Under 'preset: strict' stand-ins join the records of a run, and need not last.
            if options[RedactOptions.preset] != .strict, let place = pseudonyms(options) {
                context.diagnostics.error(
                    at: place,
                    "'pseudonym' needs a key; found neither 'key_env' nor 'key_file'",
                    help: "make one with 'openssl rand -hex 32' and name its variable: "
                        + "'key_env: TAPLINE_REDACT_KEY'"
                )
                return nil
            }
            return SecureRandom().bytes(count: 32)
        case (_?, _?):
            context.diagnostics.error(
                at: options.location(of: RedactOptions.keyFile) ?? context.location,
                "both 'key_env' and 'key_file' are given; expected one of them",
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
                    "the environment variable that 'key_env' names is not set",
                    help: "set it to a key made with 'openssl rand -hex 32'; "
                        + "test files do so under 'env'"
                )
                return nil
            }
            key = Array(value.utf8)
        case (nil, let path?):
            place = options.location(of: RedactOptions.keyFile)
            guard let read = file(path, place, &context) else { return nil }
            key = read
        }
        // The line end that editors and shells add is no part of a key.
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
            help: "make one with 'openssl rand -hex 32'"
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

    /// Where options first ask for stand-ins.
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

// MARK: - What is shown

extension RedactKey {
    private static func isName(_ text: String) -> Bool {
        text.utf8.first?.isDigit == false
            && text.utf8.allSatisfy { Pseudonyms.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether a name looks like that of a variable, and cannot be a key by mistake.
    private static func isUsual(_ name: String) -> Bool {
        name.utf8.count <= 64 && name.utf8.allSatisfy { !(0x61...0x7A ~= $0) }
    }

    /// The same place in a text in which something else stands there.
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
            "wrong value of 'key_env'; expected the name of an environment variable",
            help: "write the name alone: 'key_env: TAPLINE_REDACT_KEY'; a key may not stand here"
        )
        return nil
    }
}
