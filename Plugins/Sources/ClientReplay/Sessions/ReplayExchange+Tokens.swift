// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

extension ReplayExchange {
    /// The tag with the names of the tokens that were replaced, for stages and sinks.
    static let tag = "bound"

    /// Replaces the tokens of the request, before the hooks see it.
    func bind(_ sessions: SessionRun) {
        tag(sessions.bind(&held.exchange.request, planned))
    }

    /// Adds the names of tokens that were replaced to the tag.
    func tag(_ names: [String]) {
        guard !names.isEmpty else { return }
        var all = held.exchange.tags[Self.tag]?.split(separator: ",").map(String.init) ?? []
        for name in names where !all.contains(name) { all.append(name) }
        held.exchange.tags[Self.tag] = all.joined(separator: ",")
    }
}
