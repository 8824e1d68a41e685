// SPDX-License-Identifier: MIT

internal import CYAML

/// Parses a YAML text into a series of events (libyaml's `yaml_parser_parse`).
///
/// **Ownership** `yaml_parser_t` and the input stay on the heap until `deinit`, since the C
/// structure holds its own address and that of the input. No memory that libyaml allocates leaves
/// this class.
///
/// **Isolation** A parser belongs to one task; it is not `Sendable`.
///
/// **Limits** None of its own: the caller counts events and stops when there are too many. The
/// parser stores only the open collections, so stopping early costs nothing.
@safe
package final class YAMLParser {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutablePointer<UInt8>
    private let inputCount: Int
    private var isFinished = false

    /// Starts to parse a copy of `bytes`, which are always read as UTF-8, even if they begin with
    /// another byte order mark.
    ///
    /// **Throws** ``YAMLError`` if libyaml cannot allocate memory.
    package init(_ bytes: [UInt8]) throws(YAMLError) {
        unsafe parser = .allocate(capacity: 1)
        unsafe input = .allocate(capacity: max(bytes.count, 1))
        inputCount = bytes.count
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe input.initialize(from: start, count: buffer.count)
        }
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            unsafe parser.initialize(to: yaml_parser_t())
            isFinished = true
            throw YAMLError(problem: "out of memory", context: "")
        }
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input, inputCount)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// Returns the next event; `nil` after the end of the stream and after an error.
    ///
    /// **Throws** ``YAMLError`` at the first position where the text is not YAML; parsing ends
    /// there.
    package func next() throws(YAMLError) -> YAMLEvent? {
        guard !isFinished else { return nil }
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else {
            isFinished = true
            throw unsafe Self.error(parser)
        }
        defer { unsafe yaml_event_delete(&event) }
        let converted = unsafe Self.convert(event)
        if converted == nil || converted?.kind == .streamEnd {
            isFinished = true
        }
        return converted
    }
}

extension YAMLParser {
    private static func convert(_ event: yaml_event_t) -> YAMLEvent? {
        var result = unsafe YAMLEvent(
            kind: .streamStart,
            start: mark(event.start_mark),
            end: mark(event.end_mark)
        )
        switch unsafe event.type {
        case YAML_STREAM_START_EVENT:
            break
        case YAML_STREAM_END_EVENT:
            result.kind = .streamEnd
        case YAML_DOCUMENT_START_EVENT:
            result.kind = unsafe .documentStart(isImplicit: event.data.document_start.implicit != 0)
        case YAML_DOCUMENT_END_EVENT:
            result.kind = .documentEnd
        case YAML_ALIAS_EVENT:
            result.kind = unsafe .alias(text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            result.kind = unsafe .scalar(
                text(scalar.value, count: scalar.length),
                style(scalar.style)
            )
            result.anchor = unsafe text(scalar.anchor)
            result.tag = unsafe text(scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            let start = unsafe event.data.sequence_start
            result.kind = unsafe .sequenceStart(isFlow: start.style == YAML_FLOW_SEQUENCE_STYLE)
            result.anchor = unsafe text(start.anchor)
            result.tag = unsafe text(start.tag)
        case YAML_SEQUENCE_END_EVENT:
            result.kind = .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            let start = unsafe event.data.mapping_start
            result.kind = unsafe .mappingStart(isFlow: start.style == YAML_FLOW_MAPPING_STYLE)
            result.anchor = unsafe text(start.anchor)
            result.tag = unsafe text(start.tag)
        case YAML_MAPPING_END_EVENT:
            result.kind = .mappingEnd
        default:
            return nil
        }
        return result
    }

    private static func error(_ parser: UnsafeMutablePointer<yaml_parser_t>) -> YAMLError {
        let problem = unsafe text(parser.pointee.problem) ?? "the text cannot be read"
        let context = unsafe text(parser.pointee.context) ?? ""
        switch unsafe parser.pointee.error {
        case YAML_MEMORY_ERROR:
            return YAMLError(problem: "out of memory", context: "")
        case YAML_READER_ERROR:
            return unsafe YAMLError(
                problem: problem,
                context: context,
                byteOffset: Int(clamping: parser.pointee.problem_offset)
            )
        default:
            return unsafe YAMLError(
                problem: problem,
                context: context,
                mark: mark(parser.pointee.problem_mark),
                contextMark: context.isEmpty ? nil : mark(parser.pointee.context_mark)
            )
        }
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLMark {
        YAMLMark(
            index: Int(clamping: mark.index),
            line: Int(clamping: mark.line),
            column: Int(clamping: mark.column)
        )
    }

    private static func style(_ style: yaml_scalar_style_t) -> YAMLEvent.ScalarStyle {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
        case YAML_LITERAL_SCALAR_STYLE: .literal
        case YAML_FOLDED_SCALAR_STYLE: .folded
        default: .plain
        }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }

    private static func text(_ pointer: UnsafeMutablePointer<UInt8>?) -> String? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe String(cString: pointer)
    }

    private static func text(_ pointer: UnsafeMutablePointer<UInt8>?, count: Int) -> String {
        guard let pointer = unsafe pointer else { return "" }
        return unsafe String(
            decoding: UnsafeBufferPointer(start: pointer, count: count),
            as: UTF8.self
        )
    }
}
