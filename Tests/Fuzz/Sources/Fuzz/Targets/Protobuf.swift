// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import TaplineProtobuf

/// Protobuf messages and descriptors: any bytes have a view, which is JSON within its limits; fields
/// that were read cover the message.
func fuzzProtobuf(_ input: inout FuzzInput) {
    let usesSchema = input.below(3)
    let bytes = input.rest()
    if usesSchema == 2 {
        guard let schema = try? ProtobufSchema(bytes.span) else { return }
        var view = ProtobufView(schema)
        for index in schema.messages.indices.prefix(4) {
            checkJSON(view.json(bytes.span, as: index))
        }
        return
    }
    var reader = ProtobufReader(0..<bytes.count)
    var end = 0
    while let field = (try? reader.next(in: bytes.span)) ?? nil {
        require(field.range.lowerBound == end, "a gap between fields")
        require(field.range.upperBound <= bytes.count, "a field beyond the message")
        require(
            field.value.lowerBound >= field.range.lowerBound
                && field.value.upperBound <= field.range.upperBound,
            "a value outside its field"
        )
        end = field.range.upperBound
    }
    var view = ProtobufView(usesSchema == 1 ? descriptorSchema : nil)
    let message = usesSchema == 1 ? descriptorSchema.message(named: "M") : nil
    checkJSON(view.json(bytes.span, as: message))
    var limits = ProtobufLimits()
    limits.maxViewBytes = 500
    limits.maxFields = 50
    var small = ProtobufView(limits: limits)
    let cut = small.json(bytes.span)
    checkJSON(cut)
    require(cut.count <= 4_096 + 8 * bytes.count, "a view beyond its limit")
}

/// Checks that a view is JSON.
private func checkJSON(_ json: [UInt8]) {
    var parser = JSONParser(maxDepth: 1_024)
    do throws(JSONError) {
        _ = try parser.parse(json.span)
    } catch {
        fatalError("a view is not JSON: \(error)")
    }
}

/// A recursive message with a field of each type, numbered like the types; 19 is a map.
private let descriptorSchema: ProtobufSchema = {
    func field(_ number: Int, _ content: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        ProtobufWriter.append(number, content.span, to: &output)
        return output
    }
    func number(_ tag: UInt8, _ value: UInt8) -> [UInt8] { [tag << 3, value] }
    var message = field(1, Array("M".utf8))
    for type in UInt8(1)...18 {
        let label: UInt8 = type % 2 == 0 ? 3 : 1
        var content = field(1, Array("f\(type)".utf8)) + number(3, type)
        content += number(4, label) + number(5, type)
        if type == 10 || type == 11 { content += field(6, Array(".M".utf8)) }
        message += field(2, content)
    }
    var entry = field(1, Array("E".utf8)) + field(7, number(7, 1))
    entry += field(2, field(1, Array("key".utf8)) + number(3, 1) + number(4, 1) + number(5, 9))
    entry += field(
        2,
        field(1, Array("value".utf8)) + number(3, 2) + number(4, 1) + number(5, 11)
            + field(6, Array(".M".utf8))
    )
    message += field(3, entry)
    message += field(
        2,
        field(1, Array("m".utf8)) + number(3, 19) + number(4, 3) + number(5, 11)
            + field(6, Array(".M.E".utf8))
    )
    let set = field(1, field(4, message))
    guard let schema = try? ProtobufSchema(set.span) else {
        fatalError("the descriptors are invalid")
    }
    return schema
}()
