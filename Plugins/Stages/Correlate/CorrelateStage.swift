// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

/// The stage `correlate` in one lane; it records ids in tags and changes nothing else.
final class CorrelateStage: RecordStage {
    private let rules: CorrelateFactory
    private var parser = JSONParser(surrogates: .replace)

    init(_ rules: CorrelateFactory) { self.rules = rules }

    func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        for extractor in rules.extractors where exchange.tags[extractor.tag] == nil {
            guard let value = value(of: extractor, in: exchange) else { continue }
            for tag in extractor.tags(of: value, maxBytes: rules.maxBytes) {
                exchange.tags[tag.name] = tag.text
            }
        }
        return .keep
    }

    private func value(of extractor: Extractor, in exchange: borrowing Exchange) -> [UInt8]? {
        if extractor.message != .response,
            let value = value(extractor, exchange.request.fields, exchange.request.body)
        {
            return value
        }
        guard extractor.message != .request, let response = exchange.response else { return nil }
        return value(extractor, response.fields, response.body)
    }

    private func value(
        _ extractor: Extractor,
        _ fields: FieldSection,
        _ body: Body
    ) -> [UInt8]? {
        switch extractor.place {
        case .trace:
            guard let position = fields.firstIndex(of: "traceparent") else { return nil }
            return Correlation.traceID(fields.value(at: position)).map { Array(copying: $0.span) }
        case .header(let name):
            guard let position = fields.firstIndex(of: name) else { return nil }
            let value = fields.value(at: position)
            return value.isEmpty ? nil : Array(copying: value)
        case .json(let path):
            guard let bytes = decoded(body), bytes.looksLikeJSON else { return nil }
            return CorrelateStage.read(path, in: bytes, &parser)
        }
    }

    private static func read(
        _ path: JSONValuePath,
        in bytes: [UInt8],
        _ parser: inout JSONParser
    ) -> [UInt8]? {
        guard let document = try? parser.parse(bytes.span) else { return nil }
        return path.text(in: document.root)
    }

    /// Returns the decoded body, or `nil` if it is truncated, too large or damaged.
    private func decoded(_ body: Body) -> [UInt8]? {
        guard !body.isTruncated, !body.bytes.isEmpty, body.bytes.count <= rules.maxBody else {
            return nil
        }
        if body.coding.isEmpty { return body.bytes }
        let limits = DecodingLimits(maxOutputBytes: rules.maxBody)
        let codings = ContentCoding.list(body.coding.span)
        return try? ContentCoding.decode(body.bytes.span, codings: codings, limits: limits)
    }
}

extension [UInt8] {
    /// Whether the bytes look like a JSON object or array.
    fileprivate var looksLikeJSON: Bool {
        let first = first { $0 > 0x20 }
        return first == .ascii("{") || first == .ascii("[")
    }
}

/// The configured stage `correlate`.
struct CorrelateFactory: StageFactory {
    let extractors: [Extractor]
    /// The maximum length of a recorded value.
    let maxBytes: Int
    /// The maximum size of a body that is searched.
    let maxBody: Int

    var hooks: Hooks { .record }

    func makeStage(_ context: StageContext) throws -> any Stage { CorrelateStage(self) }
}
