// SPDX-License-Identifier: MIT

public import TaplineConfig
internal import TaplineModel
public import TaplineQuery
internal import TaplineSystem

extension OptionType where Value == Filter {
    /// The option type of a filter, as in `when:`.
    ///
    /// Declare such options with `interpolates: false`: filters read the environment as
    /// `env["NAME"]`.
    public static var filter: OptionType<Filter> {
        OptionType(name: "filter", schema: ["type": "string"], describe: { $0.text }) {
            node,
            context in
            guard let text = node.text else {
                return context.mismatch(node, expected: "a filter such as 'status >= 400'")
            }
            context.diagnostics.warnAboutComment(after: node)
            do throws(FilterError) {
                return try Filter(
                    text,
                    environment: context.environment.variables,
                    now: Timestamp(microseconds: WallClock.microseconds)
                )
            } catch {
                context.diagnostics.error(
                    in: node,
                    at: error.offset..<error.offset + error.length,
                    error.message,
                    help: error.help
                )
                return nil
            }
        }
    }
}
