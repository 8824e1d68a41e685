// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel

/// What is done with pairs: they are compared, or what varies by itself is learnt from them.
///
/// **Isolation**: one thread at a time.
struct PairConsumer: ~Copyable {
    private let learns: Bool
    private let cleaning: Cleaning
    private(set) var comparison: Comparison
    private var learning: NoiseLearning
    /// What the HTML page shows of exchanges; `nil` if there is none.
    private(set) var exchanges: ComparedExchanges?
    /// How many pairs were added.
    private(set) var count = 0

    init(_ options: ComparisonOptions, _ cleaning: Cleaning, learns: Bool = false) {
        self.learns = learns
        self.cleaning = cleaning
        comparison = Comparison(options, clean: cleaning.clean)
        learning = NoiseLearning(options, clean: cleaning.clean)
    }

    /// Keeps exchanges for the HTML page from now on.
    ///
    /// - Parameter names: The names of both sides.
    mutating func keepsExchanges(_ names: (recorded: String, found: String)) {
        exchanges = ComparedExchanges(names: names, cleaning)
    }

    /// Takes an exchange, and the one that is compared with it.
    mutating func add(_ base: Exchange, _ found: Exchange) {
        count += 1
        guard !learns else { return learning.add(base, found, .secondRun) }
        let outcome = comparison.add(base, found)
        exchanges?.add(outcome, base, found)
    }

    /// Takes a recorded exchange without a partner.
    mutating func addMissing(_ exchange: Exchange) {
        let isExample = comparison.addMissing(exchange)
        if isExample { exchanges?.addMissing(exchange) }
    }

    /// Takes a new exchange without a partner.
    mutating func addExtra(_ exchange: Exchange) {
        let isExample = comparison.addExtra(exchange)
        if isExample { exchanges?.addExtra(exchange) }
    }

    /// The rules that were learnt.
    var rules: NoiseRules { learning.rules }
}
