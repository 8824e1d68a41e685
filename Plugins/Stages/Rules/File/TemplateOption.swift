// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

extension OptionType where Value == RuleTemplate {
    /// A text with values of the exchange.
    ///
    /// - Parameters:
    ///   - groups: How many groups of a regular expression can be named.
    ///   - isField: Whether the text becomes the value of a field.
    /// - Returns: The type.
    static func template(groups: Int = 0, isField: Bool = false) -> Self {
        Self(name: "template", schema: OptionType<String>.text.schema) { node, context in
            guard let text = node.text else { return context.mismatch(node, expected: "text") }
            do throws(TemplateError) {
                let template = try RuleTemplate(text, groups: groups)
                if isField, template.texts.contains(where: { $0.contains(where: \.endsField) }) {
                    return context.error(node, "a field cannot contain line breaks")
                }
                return template
            } catch {
                context.reportTemplate(error, in: node, groups: groups)
                return nil
            }
        }
    }
}

extension OptionContext {
    /// Reports an invalid template at its place.
    fileprivate mutating func reportTemplate(
        _ error: TemplateError,
        in node: ConfigNode,
        groups: Int
    ) {
        let plain = "write '{{{{' for a plain '{{'"
        guard let name = error.unknownName else {
            diagnostics.error(
                in: node,
                at: error.range,
                "'{{' begins a value; expected '}}' after its name",
                help: plain
            )
            return
        }
        let shown = ConfigNode(.scalar(name, isPlain: true), at: node.location).found
        let known = TemplateValue.names + (groups > 0 ? ["0 to \(groups - 1)"] : [])
        diagnostics.error(
            in: node,
            at: error.range,
            "unknown value \(shown) in a template; expected \(known.joined(separator: ", "))",
            help: Suggestion.help(for: name, among: TemplateValue.names) ?? plain
        )
    }
}
