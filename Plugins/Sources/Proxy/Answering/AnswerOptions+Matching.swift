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
        var rules = RequestRules([])
        for text in texts {
            if let part = parts.first(where: { $0.name == text.value })?.part {
                rules.parts.insert(part)
            } else if let name = argument(of: "header", text.value) {
                rules.fields.append(name)
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
        answers.comparesHost = !rules.parts.isDisjoint(with: [.host, .port])
        // What is hashed as the host is its name and its port.
        if rules.parts.contains(.port) { rules.parts.insert(.host) }
        answers.rules = rules
    }

    static func readIgnored(
        _ texts: [Located<String>],
        into answers: inout AnswerSettings,
        _ context: inout BuildContext
    ) {
        for text in texts {
            if let path = JSONPath(Array(text.value.utf8)) {
                answers.rules.ignoredValues.append(path)
            } else if let name = argument(of: "query", text.value) {
                answers.rules.ignoredQueryItems.insert(name)
            } else if let name = argument(of: "form", text.value) {
                answers.rules.ignoredFormFields.insert(name)
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
        if let name = argument(of: "cookie", text.value) { return .cookie(name) }
        if let name = argument(of: "header", text.value) { return .header(name) }
        context.diagnostics.error(
            at: text.location,
            "unknown kind of session; found '\(text.value)', expected client, cookie NAME, header "
                + "NAME or none"
        )
        return .none
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
