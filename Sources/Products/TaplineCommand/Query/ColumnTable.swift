// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore

/// Writes the values of fields in aligned columns.
///
/// The widths follow from the fields, since results are shown as they are found. On a terminal
/// longer values are cut; elsewhere they shift the rest of their line.
struct ColumnTable: QueryWriter {
    /// How narrow a column of text may become.
    private static let minWidth = 6

    private let fields: [FieldReference]
    private let isCut: Bool
    private var widths: [Int]

    init(_ fields: [FieldReference], width: Int?) {
        self.fields = fields
        isCut = width != nil
        widths = fields.map { max(Self.usualWidth($0), $0.name.unicodeScalars.count) }
        if let width { fit(into: width) }
    }

    var parts: StoreParts { StoreParts(usedBy: fields) }

    /// Narrows the widest columns of text until a line fits; the last one gets the room that is
    /// left.
    private mutating func fit(into width: Int) {
        let texts = fields.indices.filter { !fields[$0].isNumber && fields[$0].field != .id }
        func total() -> Int { widths.reduce(0, +) + 2 * (widths.count - 1) }
        while total() > width, let widest = texts.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.minWidth
        {
            widths[widest] -= 1
        }
        let room = width - total()
        if let last = texts.last, room > 0 { widths[last] += room }
    }

    mutating func begin(to text: inout TerminalText) {
        text.styled(.dim) { text in
            writeLine(to: &text) { Array(fields[$0].name.utf8) }
        }
        text.newLine()
    }

    mutating func write(_ exchange: Exchange, to text: inout TerminalText) {
        writeLine(to: &text) { Self.shown(fields[$0].value(in: exchange), of: fields[$0]) }
        text.newLine()
    }

    private func writeLine(to text: inout TerminalText, _ cell: (Int) -> [UInt8]) {
        var end = 0
        for (column, width) in widths.enumerated() {
            if column > 0 { text.spaces(max(2, end - text.column)) }
            let start = text.column
            let bytes = cell(column)
            if fields[column].isNumber {
                text.put(String(decoding: bytes, as: UTF8.self), rightIn: width, .plain)
            } else {
                text.show(bytes.span, in: isCut ? width : .max)
            }
            end = start + width + 2
        }
    }

    /// The value as bytes that may come from traffic; `-` if it is absent.
    static func shown(_ value: FilterValue?, of field: FieldReference) -> [UInt8] {
        switch value {
        case .text(let bytes): return bytes
        case .whole(let number):
            let text =
                switch field.field.kind {
                case .duration: Quantities.duration(Microseconds(number))
                case .size: Quantities.size(Int(clamping: number))
                case .time: moment(Timestamp(microseconds: number))
                default: "\(number)"
                }
            return Array(text.utf8)
        case .real(let number): return Array("\(number)".utf8)
        case nil: return [UInt8(ascii: "-")]
        }
    }

    /// `2026-11-20 14:03:00.123`, in UTC.
    private static func moment(_ moment: Timestamp) -> String {
        String(moment.rfc3339.prefix(23).replacing("T", with: " "))
    }

    /// The width that most values fit into.
    private static func usualWidth(_ field: FieldReference) -> Int {
        switch field.field {
        case .id: 36
        case .started: 23
        case .duration: 7
        case .requestSize, .responseSize, .bytesUp, .bytesDown: 9
        case .status, .statusClass, .scheme: 6
        case .port: 5
        case .method, .requestVersion, .responseVersion, .tlsVersion, .mark: 8
        case .state: 9
        case .source, .error: 14
        case .client, .server: 21
        case .url: 48
        case .path, .route: 40
        default: 24
        }
    }
}
