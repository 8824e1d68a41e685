// SPDX-License-Identifier: MIT

public import TaplineModel

/// A question to an exchange, such as `host like "*.shop.test" and status >= 500`.
///
/// **Isolation**: immutable; any number of threads may use one filter.
///
/// **Source**: the reference page beside this module.
public struct Filter: Sendable {
    /// The filter as it was written.
    public let text: String
    /// The fields that it names, in the order of the text.
    public let fields: [FilterField]
    private let program: Program

    /// Reads and checks a filter.
    ///
    /// - Parameters:
    ///   - text: The filter.
    ///   - environment: What `env["…"]` stands for.
    ///   - limits: How large it may become.
    /// - Throws: `FilterError`, with the place in the text.
    public init(
        _ text: String,
        environment: [String: String] = [:],
        limits: FilterLimits = FilterLimits()
    ) throws(FilterError) {
        var parser = try Parser(text, environment: environment, limits: limits)
        let root = try parser.parse()
        self.text = text
        fields = parser.fields
        program = Program(parser.builder, root: root, maxDecodedBytes: limits.maxDecodedBytes)
    }

    /// The names of all fields, for help and completion.
    public static var fieldNames: [String] { Field.allCases.map(\.name) }

    /// Whether the exchange is one of those that are asked for.
    ///
    /// Before the end of an exchange, what is not known yet counts as absent; `knownAt` says when
    /// the answer is final.
    public func matches(_ exchange: borrowing Exchange) -> Bool {
        program.run(exchange)
    }

    /// The earliest moment at which all its fields can be known.
    public var knownAt: FilterMoment { knownAt(bufferingRequest: false, bufferingResponse: false) }

    /// The first field that decides `knownAt`; `nil` if the request head is enough.
    public var lateField: FilterField? {
        let moment = knownAt
        return moment == .request ? nil : fields.first { $0.knownAt == moment }
    }

    /// The earliest moment at which all its fields can be known, when whole bodies are waited for.
    public func knownAt(bufferingRequest: Bool, bufferingResponse: Bool) -> FilterMoment {
        fields.map { $0.knownAt(bufferingRequest, bufferingResponse) }.max() ?? .request
    }

    /// The first field that cannot be known at a moment; nothing where all can.
    public func field(
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
        case "request.body" where bufferingRequest, "request.size" where bufferingRequest: .request
        case "response.body" where bufferingResponse, "response.size" where bufferingResponse:
            .response
        default: knownAt
        }
    }
}
