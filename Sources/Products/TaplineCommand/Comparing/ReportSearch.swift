// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineModel
internal import TaplinePlugin

/// Searches HTML reports for secrets, as `tapline share` does: they have whole exchanges.
enum ReportSearch {
    /// The preset of HTML reports if none is given.
    static let preset = "strict"
    /// How many findings are shown.
    private static let maxShown = 20

    /// Checks a report before it is written.
    ///
    /// - Parameters:
    ///   - output: The report; only one with exchanges is searched.
    ///   - invocation: Has the detectors, and `--allow-leaks`.
    /// - Throws: `LeakingReport` if there are secrets, or parts that cannot be searched.
    static func check(_ output: ComparisonOutput, _ invocation: Invocation) throws {
        guard let exchanges = output.exchanges else { return }
        if output.redaction == "none" {
            invocation.console.note("warning: the exchanges were not redacted")
        }
        guard !invocation.has("allow-leaks"), invocation.registry.detectors != nil else { return }
        let search = try LeakSearch(
            try LeaksArguments(invocation),
            invocation.console,
            maxShown: maxShown
        )
        var chain = RecordChain()
        for exchange in exchanges.all {
            if case .sealed(let record) = chain.seal(exchange) { search.scan(record) }
        }
        search.scan(ComparisonPage.differences(output), "the differences")
        if let refusal = search.refusal { throw LeakingReport(refusal: refusal) }
    }
}

/// A report has secrets.
struct LeakingReport: Error, CustomStringConvertible {
    /// What was found.
    let refusal: String

    var description: String {
        "\(refusal); the report was not written; '--allow-leaks' writes it anyway"
    }
}
