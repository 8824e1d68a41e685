// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCapture
internal import TaplineDetectors
internal import TaplineModel
internal import TaplinePlugin

/// The tokens that a `redact` of a test has masked so far; in memory only.
///
/// **Isolation**: any thread.
final class ObservedSecrets: SecretListener {
    /// Tokens by the way in which they are replaced.
    typealias Tokens = [Component.Redaction: Set<[UInt8]>]

    private struct State {
        var tokens: Tokens = [:]
        var hosts: Set<String> = []
    }

    private let allowed: AllowList
    private let state = Mutex(State())

    /// Creates an empty collection that never accepts the allowed texts.
    init(allowed: [String]) { self.allowed = AllowList(allowed) }

    func observe(_ secret: Span<UInt8>, action: String) {
        guard let action = Component.Redaction(rawValue: action) else { return }
        let found = TokenText.tokens(in: secret).filter { !allowed.contains($0.span) }
        guard !found.isEmpty else { return }
        state.withLock { state in
            // A token that one stage masks and another one hashes keeps its first replacement.
            let new = found.filter { token in !state.tokens.values.contains { $0.contains(token) } }
            state.tokens[action, default: []].formUnion(new)
        }
    }

    /// Notes a host that requests are sent to; its name is not a secret.
    func note(host: String) { state.withLock { _ = $0.hosts.insert(host.lowercased()) } }

    /// The masked tokens, except host names and their domains.
    var tokens: Tokens {
        let state = state.withLock { $0 }
        return state.tokens.mapValues { tokens in
            tokens.filter { token in
                let name = String(decoding: token, as: UTF8.self).lowercased()
                return !state.hosts.contains { $0 == name || $0.hasSuffix(".\(name)") }
            }
        }
    }
}
