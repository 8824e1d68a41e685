// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineCrypto
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineMatching
internal import TaplineModel
internal import TaplineTestRunner

/// The report of a comparison as one HTML page without scripts and other files.
///
/// Its policy allows only the page's own style, so that a value that were not escaped could not run
/// or load anything.
enum ComparisonPage {
    private static let style = """
        :root { color-scheme: light dark; --line: light-dark(#ccc, #444); \
        --bad: light-dark(#b00020, #ff8a80); --soft: light-dark(#666, #aaa); }
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; \
        padding: 0 1rem; }
        h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: left; \
        vertical-align: top; }
        td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
        code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
        h2 code { font: inherit; }
        .bad { color: var(--bad); font-weight: 600; } .soft { color: var(--soft); }

        """

    static func bytes(_ output: ComparisonOutput) -> [UInt8] {
        var hash: [UInt8] = []
        Base64.encode(SHA256.hash(style).bytes.span, into: &hash)
        let policy =
            "default-src 'none'; style-src 'sha256-\(String(decoding: hash, as: UTF8.self))'; "
            + "base-uri 'none'; form-action 'none'"
        let title = "\(output.names.recorded) and \(output.names.found)"
        var lines = [
            "<!doctype html>",
            "<html lang=\"en\"><head><meta charset=\"utf-8\">",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">",
            "<meta name=\"viewport\" content=\"width=device-width\">",
            "<title>\(escaped(title))</title>",
            "<style>\(style)</style></head><body>",
            "<h1>Differences of \(escaped(title))</h1>",
            "<p>\(escaped(output.summary)).</p>",
        ]
        lines += overview(output.report.routes)
        for (number, route) in output.report.routes.enumerated()
        where route.count > 0 || route.latency?.isShift == true {
            lines += section(route, number)
        }
        lines += ["</body></html>", ""]
        return Array(lines.joined(separator: "\n").utf8)
    }

    private static func overview(_ routes: [ComparisonReport.Route]) -> [String] {
        let titles = ["pairs", "differ", "missing", "extra", "noise"]
        var lines = [
            "<table><thead><tr><th>route</th>"
                + titles.map { "<th class=\"n\">\($0)</th>" }.joined() + "</tr></thead><tbody>"
        ]
        for (number, route) in routes.enumerated() {
            let code = "<code>\(escaped(route.name))</code>"
            let isLinked = route.count > 0 || route.latency?.isShift == true
            let cell = isLinked ? "<a href=\"#r\(number)\">\(code)</a>" : code
            let counts = [route.pairs, route.differing, route.missing, route.extra, route.noise]
            let cells = counts.enumerated().map { column, count in
                let isBad = count > 0 && 1...3 ~= column
                return "<td class=\"n\(isBad ? " bad" : "")\">\(count)</td>"
            }
            lines.append("<tr><td>\(cell)</td>\(cells.joined())</tr>")
        }
        return lines + ["</tbody></table>"]
    }

    private static func section(_ route: ComparisonReport.Route, _ number: Int) -> [String] {
        var lines = [
            "<h2 id=\"r\(number)\"><code>\(escaped(route.name))</code></h2>",
            "<p>\(escaped(ComparisonOutput.counts(route)))</p>",
        ]
        if let shift = ComparisonOutput.shift(route) { lines.append("<p>\(escaped(shift))</p>") }
        if !route.parts.isEmpty {
            lines.append(
                "<table><thead><tr><th>part</th><th class=\"n\">times</th><th>exchange</th>"
                    + "<th>recorded</th><th>found</th></tr></thead><tbody>"
            )
            for part in route.parts { lines += rows(part) }
            lines.append("</tbody></table>")
        }
        lines += list(route.missingExamples, of: route.missing, "Missing")
        lines += list(route.extraExamples, of: route.extra, "Extra")
        return lines
    }

    private static func rows(_ part: ComparisonReport.Part) -> [String] {
        part.examples.enumerated().map { number, example in
            let isFirst = number == 0
            let name = "<code>\(escaped(part.path))</code> \(part.change)"
            let place =
                example.place == part.path
                ? "" : "<br><code class=\"soft\">\(escaped(example.place))</code>"
            return "<tr><td>\(isFirst ? name : "")</td>"
                + "<td class=\"n\">\(isFirst ? "\(part.count)" : "")</td>"
                + "<td><code>\(escaped(example.target))</code><br>"
                + "<code class=\"soft\">\(example.foundID)</code>\(place)</td>"
                + "<td><code>\(escaped(example.recorded))</code></td>"
                + "<td><code>\(escaped(example.found))</code></td></tr>"
        }
    }

    private static func list(
        _ examples: [ComparisonReport.Single],
        of count: Int,
        _ title: String
    ) -> [String] {
        guard count > 0 else { return [] }
        let items = examples.map { example in
            "<li><code>\(escaped(example.target))</code> "
                + "<code class=\"soft\">\(example.id)</code></li>"
        }
        return ["<p>\(title): \(Counted.text(count, "exchange"))</p><ul>"] + items + ["</ul>"]
    }

    /// Escapes text; characters that change the writing direction become visible.
    private static func escaped(_ text: String) -> String {
        let shown = text.unicodeScalars.map { scalar in
            scalar.isUnsafeOnTerminal ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return JUnitReport.escaped(shown.joined())
    }
}
