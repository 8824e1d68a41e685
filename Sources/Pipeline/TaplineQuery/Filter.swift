// SPDX-License-Identifier: MIT

public import TaplineModel

/// A condition on exchanges, such as `host like "*.shop.test" and status >= 500`.
///
/// **Isolation**: immutable; any number of threads may use a filter.
///
/// **Source**: the reference page of this module, `README.md`.
public struct Filter: Sendable {
    /// The text of the filter.
    public let text: String
    /// The fields that the filter uses, in the order of the text.
    package let fields: [FilterField]
    /// The comparisons as they were written, for `tree`.
    let root: Node
    let program: Program

    /// Parses and checks a filter.
    ///
    /// - Parameters:
    ///   - text: The filter.
    ///   - environment: The values for `env["…"]`.
    ///   - now: The moment that `now` means, one for the whole filter; `nil` if `now` is an error.
    ///   - inStore: Whether exchanges come from a store, so that `note` and `mark` are known.
    ///   - limits: The limits of the filter.
    /// - Throws: `FilterError`, with the offset in the text.
    package init(
        _ text: String,
        environment: [String: String] = [:],
        now: Timestamp? = nil,
        inStore: Bool = false,
        limits: FilterLimits = FilterLimits()
    ) throws(FilterError) {
        let scope = FilterScope(environment: environment, now: now, isStore: inStore)
        var parser = try Parser(text, scope: scope, limits: limits)
        root = try parser.parse()
        self.text = text
        fields = parser.fields
        program = Program(parser.builder, root: root, maxDecodedBytes: limits.maxDecodedBytes)
    }

    /// The names of all fields, for help and completion.
    package static var fieldNames: [String] { Field.allCases.map(\.name) }

    /// Returns whether the exchange matches the filter.
    ///
    /// Before the end of an exchange, values that are not known yet count as absent; from `knownAt`
    /// on, the result is final.
    public func matches(_ exchange: borrowing Exchange) -> Bool {
        program.run(exchange)
    }

    /// Returns whether another filter surely means the same: it has the same text, and the same
    /// values of the environment and of `now`.
    package func isSame(as other: Filter) -> Bool {
        // The text of a pattern is not kept.
        let hidesPattern = program.tests.contains { $0.usesEnvironment && $0.test == .matches }
        return !hidesPattern && text == other.text && program.tests == other.program.tests
            && program.text == other.program.text && program.values == other.program.values
            && program.globs == other.program.globs
    }

    /// The earliest moment at which all fields of the filter are known.
    package var knownAt: FilterMoment { knownAt(bufferingRequest: false, bufferingResponse: false) }

    /// The first field that determines `knownAt`; `nil` if the request head is enough.
    package var lateField: FilterField? {
        let moment = knownAt
        return moment == .request ? nil : fields.first { $0.knownAt == moment }
    }

    /// Returns the earliest moment at which all fields are known if whole bodies are buffered.
    package func knownAt(bufferingRequest: Bool, bufferingResponse: Bool) -> FilterMoment {
        fields.map { $0.knownAt(bufferingRequest, bufferingResponse) }.max() ?? .request
    }

    /// Returns the first field that is not known at a moment; `nil` if all are known.
    package func field(
        notKnownAt moment: FilterMoment,
        bufferingRequest: Bool = false,
        bufferingResponse: Bool = false
    ) -> FilterField? {
        fields.first { $0.knownAt(bufferingRequest, bufferingResponse) > moment }
    }
}

extension FilterField {
    fileprivate func knownAt(_ bufferingRequest: Bool, _ bufferingResponse: Bool) -> FilterMoment {
        switch name {
        case "request.body" where bufferingRequest, "request.size" where bufferingRequest,
            "request.json" where bufferingRequest:
            .request
        case "response.body" where bufferingResponse, "response.size" where bufferingResponse,
            "response.json" where bufferingResponse,
            "json" where bufferingRequest && bufferingResponse:
            .response
        default: knownAt
        }
    }
}
