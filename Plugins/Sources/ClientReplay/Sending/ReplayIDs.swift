// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

/// Makes exchanges with new ids.
///
/// **Isolation**: the loop's thread.
final class ReplayIDs {
    private let random = SecureRandom()
    private let source: String

    init(source: String) { self.source = source }

    /// Returns an exchange that begins at a time.
    func make(at started: Timestamp) -> Exchange {
        Exchange(
            id: ExchangeID(started: started, random: random.next(), random.next()),
            source: source,
            started: started
        )
    }
}
