// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// Options that are texts of several words, such as `header Accept`.
extension AnswerOptions {
    private static let parts: [(name: String, part: MatchedParts)] = [
        ("method", .method), ("scheme", .scheme), ("host", .host), ("port", .port),
        ("path", .path), ("query", .query), ("body", .body),
    ]

    static func readMatch(
        _ texts: [Located<String>],
        into answers: inout AnswerSettings,
        _ context: inout BuildContext
    ) {
        guard !texts.isEmpty else { return }
        answers.rules = rules(texts, &context)
    }

    /// Reads `match_rules`.
    static func readSpecialRules(
        _ list: [Options],
        into answers: inout AnswerSettings,
        _ context: inout BuildContext
    ) {
        for options in list {
            var rules = rules(options[by], &context)
            readIgnored(options[ignoreBy], into: &rules, &context)
            answers.specialRules.append(
                AnswerSettings.SpecialRules(filter: options[when], rules: rules)
            )
        }
    }

    /// Reads `ignore`, which is for all rules.
    static func readIgnored(
        _ texts: [Located<String>],
        into answers: inout AnswerSettings,
        _ context: inout BuildContext
    ) {
        var ignored = RequestRules([])
        readIgnored(texts, into: &ignored, &context)
        answers.rules.ignore(ignored)
        answers.specialRules = answers.specialRules.map { special in
            var rules = special.rules
            rules.ignore(ignored)
            return AnswerSettings.SpecialRules(filter: special.filter, rules: rules)
        }
    }

    /// Returns the rules with exactly these parts.
    private static func rules(
        _ texts: [Located<String>],
        _ context: inout BuildContext
    ) -> RequestRules {
        var rules = RequestRules([])
        for text in texts {
            if let part = parts.first(where: { $0.name == text.value })?.part {
                rules.parts.insert(part)
            } else if let name = argument(of: "header", text.value) {
                rules.fields.append(name)
            } else if text.value.contains(where: { $0 == "[" || $0 == "." }) {
                if let value = value(text, &context) { rules.values.append(value) }
            } else {
                let expected = parts.map(\.name) + ["header NAME"]
                context.diagnostics.error(
                    at: text.location,
                    "unknown part of a request; found '\(text.value)', expected "
                        + expected.joined(separator: ", "),
                    help: Suggestion.help(for: text.value, among: parts.map(\.name))
                )
            }
        }
        rules.comparesHost = !rules.parts.isDisjoint(with: [.scheme, .host, .port])
        return rules
    }

    /// Reads a field of the filter language that requests have.
    private static func value(
        _ text: Located<String>,
        _ context: inout BuildContext
    ) -> FieldReference? {
        let known =
            "'query[NAME]', 'request.header[NAME]', 'request.cookie[NAME]' and "
            + "'request.json[PATH]' are values of requests"
        do throws(FilterError) {
            let fields = try FieldReference.list(text.value)
            let isOfRequest = ["query[", "request."].contains(where: text.value.hasPrefix)
            if fields.count == 1, isOfRequest { return fields[0] }
            context.diagnostics.error(
                at: text.location,
                "'\(text.value)' is not one value of a request",
                help: known
            )
        } catch {
            guard let node = text.node else { return nil }
            context.diagnostics.error(
                in: node,
                at: error.offset..<error.offset + error.length,
                error.message,
                help: error.help ?? known
            )
        }
        return nil
    }

    private static func readIgnored(
        _ texts: [Located<String>],
        into rules: inout RequestRules,
        _ context: inout BuildContext
    ) {
        for text in texts {
            if let path = JSONPath(Array(text.value.utf8)) {
                rules.ignoredValues.append(path)
            } else if let name = argument(of: "query", text.value) {
                rules.ignoredQueryItems.insert(name)
            } else if let name = argument(of: "form", text.value) {
                rules.ignoredFormFields.insert(name)
            } else {
                context.diagnostics.error(
                    at: text.location,
                    "this cannot be ignored; found '\(text.value)', expected a JSON path such as "
                        + "$.time, 'query NAME' or 'form NAME'"
                )
            }
        }
    }

    static func session(
        _ text: Located<String>,
        _ context: inout BuildContext
    ) -> AnswerSettings.Session {
        switch text.value {
        case "none": return .none
        case "client": return .client
        default: break
        }
        let expected =
            "the keys are client, none, 'cookie NAME', 'header NAME', 'query NAME', "
            + "'json $.PATH' and fields of the filter language"
        do throws(FilterError) {
            let key = try SessionKey(parsing: text.value)
            if key.needsRecording {
                context.diagnostics.error(
                    at: text.location,
                    "'\(text.value)' is known for recordings only",
                    help: expected
                )
            }
            return .key(key)
        } catch {
            guard let node = text.node else { return .none }
            context.diagnostics.error(
                in: node,
                at: error.offset..<error.offset + error.length,
                error.message,
                help: error.help ?? expected
            )
            return .none
        }
    }

    /// Returns the factor of the recorded wait.
    static func latency(_ text: Located<String>, _ context: inout BuildContext) -> Double {
        switch text.value {
        case "none": return 0
        case "recorded": return 1
        default: break
        }
        if text.value.hasSuffix("x"), let factor = Double(text.value.dropLast()),
            factor.isFinite, factor >= 0, factor <= 1000
        {
            return factor
        }
        context.diagnostics.error(
            at: text.location,
            "invalid latency; found '\(text.value)', expected none, recorded or a factor up to "
                + "1000x such as 2x"
        )
        return 0
    }

    /// The rest of a text after a word and a space or a colon; `nil` if it begins otherwise.
    private static func argument(of word: String, _ text: String) -> String? {
        guard text.hasPrefix(word), let separator = text.dropFirst(word.count).first,
            separator == " " || separator == ":"
        else { return nil }
        let rest = text.dropFirst(word.count + 1).drop { $0 == " " }
        return rest.isEmpty ? nil : String(rest)
    }
}

extension RequestRules {
    /// Ignores what other rules ignore as well.
    fileprivate mutating func ignore(_ others: RequestRules) {
        ignoredValues += others.ignoredValues
        ignoredQueryItems.formUnion(others.ignoredQueryItems)
        ignoredFormFields.formUnion(others.ignoredFormFields)
    }
}
