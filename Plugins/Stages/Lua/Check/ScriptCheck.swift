// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// Checks the text of a script without running it.
enum ScriptCheck {
    /// Returns the problems of a script with their positions.
    static func check(_ source: ConfigSource) -> Diagnostics {
        var diagnostics = Diagnostics()
        do throws(LuaSyntaxError) {
            var parser = try LuaParser(source.bytes)
            try parser.parse()
            compile(source, &diagnostics)
            for finding in parser.findings.finish(parser.scope) {
                let place = source.location(
                    at: finding.range.lowerBound,
                    length: finding.range.count
                )
                diagnostics.append(
                    Diagnostic(finding.severity, at: place, finding.message, help: finding.help)
                )
            }
        } catch {
            let place = source.location(at: error.range.lowerBound, length: error.range.count)
            diagnostics.error(at: place, error.message, help: error.help)
        }
        return diagnostics
    }

    /// Compiles with Lua itself, which also detects missing labels and exceeded compiler limits.
    private static func compile(_ source: ConfigSource, _ diagnostics: inout Diagnostics) {
        let script = LuaScript(path: source.name, text: source.bytes)
        do throws(ScriptError) {
            try LuaState.compile(script)
        } catch {
            let place = error.line.flatMap { script.location(ofLine: $0) }
            diagnostics.error(at: place, error.message, help: error.help)
        }
    }
}
