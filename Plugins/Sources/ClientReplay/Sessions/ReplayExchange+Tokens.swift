// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

extension ReplayExchange {
    /// The tag with the names of the tokens that were replaced, for stages and sinks.
    static let tag = "bound"

    /// Replaces the tokens of the request, before the hooks see it.
    func bind(_ sessions: SessionRun) {
        let names = sessions.bind(&held.exchange.request, planned)
        if !names.isEmpty { held.exchange.tags[Self.tag] = names.joined(separator: ",") }
    }
}
