// SPDX-License-Identifier: MIT

internal import CorrelateStage
internal import LimitBodyStage
internal import LuaStage
internal import NDJSONSink
internal import ProcessSink
internal import ProcessSource
internal import ProcessStage
internal import RedactStage
internal import ReplaySource
internal import RulesStage
internal import SQLiteSink
internal import StdoutSink
internal import SummarySink
package import TaplinePlugin
internal import URLProtocolSource

extension PluginRegistry {
    /// The plugins that come with Tapline, in display order.
    package static let builtIn = PluginRegistry(
        sources: [.urlProtocol, .replay, .process],
        stages: [.lua, .rules, .correlate, .redact, .limitBody, .process],
        sinks: [.stdout, .ndjson, .sqlite, .summary, .process]
    )
}
