// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
package import TaplineOperations

extension ReplayText {
    /// The maximum number of tokens and of places that are shown.
    private static let maxLines = 20

    /// The tokens, and what became of them.
    package static func lines(_ tokens: ReplayReport.Tokens, isDryRun: Bool) -> [String] {
        var lines: [String] = []
        if !tokens.bindings.isEmpty {
            lines = ["", "\(Counted.text(tokens.bindings.count, "token")) sent back:"]
            lines += table(tokens.bindings)
            if !isDryRun {
                lines.append(
                    "\(Counted.text(tokens.bound, "request")) got what the server handed out, "
                        + "\(tokens.missing) had a token that it did not hand out, "
                        + "\(tokens.waited) waited for an answer"
                )
            }
        }
        if tokens.forgotten > 0 {
            lines.append("\(Counted.text(tokens.forgotten, "value")) forgotten: too many tokens")
        }
        if tokens.masked > 0 {
            lines.append("\(Counted.text(tokens.masked, "request")) sent without a masked cookie")
        }
        guard !tokens.maskedPlaces.isEmpty else { return lines }
        lines += ["", "masked values, which need '--auth':"]
        lines += table(tokens.maskedPlaces)
        // The variable of '--auth' cannot have what the server hands out during the replay.
        lines.append(
            "values that the server hands out need none in a recording with pseudonyms: "
                + "'redact: { action: pseudonym }'"
        )
        return lines
    }

    private static func table(_ entries: [ReplayReport.Tokens.Counted]) -> [String] {
        var lines = Columns.table(
            entries.prefix(maxLines).map { ["  \($0.count)", $0.text.showingControls([:])] }
        )
        if entries.count > maxLines { lines.append("  and \(entries.count - maxLines) more") }
        return lines
    }
}
