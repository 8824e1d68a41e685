// SPDX-License-Identifier: MIT

import NATSSink
import StreamTestSupport
import TaplinePlugin

/// Builds the sink from the options of a file; also returns the problems.
func buildSink(_ text: String) -> ((any SinkFactory)?, String) {
    let built = BuiltPlugin(SinkPlugin.nats, text)
    return (built.component, built.messages)
}
