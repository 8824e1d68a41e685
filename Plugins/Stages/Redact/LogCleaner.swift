// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

/// Removes secrets from log lines: what rules name, credentials, and what detectors find.
///
/// **Isolation**: any thread; one line at a time, since a scanner serves one thread and lines are
/// few.
final class LogCleaner: Sendable {
    private let rules: RuleSet
    private let detectors: (any DetectorSet)?
    private let search = Mutex<SecretSearch?>(nil)

    init(_ rules: RuleSet, _ detectors: (any DetectorSet)?) {
        self.rules = rules
        self.detectors = detectors
    }

    /// Returns a line without its secrets, or a fixed text if the line cannot be searched.
    func cleaned(_ text: String) -> String {
        search.withLock { search in
            if search == nil {
                var scanner: (any SecretScanner)?
                if let detectors {
                    guard let made = try? detectors.makeScanner() else {
                        return "log line removed: it could not be searched for secrets"
                    }
                    scanner = made
                }
                search = SecretSearch(rules, scanner, joins: detectors?.endsAtNUL ?? false)
            }
            let bytes = Array(text.utf8)
            var edits = EditList()
            rules.editShortText(bytes.span, 0..<bytes.count, .plain, &edits)
            search?.beginExchange()
            search?.edit(bytes.span, 0..<bytes.count, .plain, &edits)
            return edits.isEmpty
                ? text : String(decoding: edits.apply(to: bytes.span), as: UTF8.self)
        }
    }
}
