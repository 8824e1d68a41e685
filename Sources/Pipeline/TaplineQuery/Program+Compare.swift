// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineRegex

extension Program {
    /// Compares text that counts as absent if it is empty.
    func holdsUnlessEmpty(_ test: Test, _ bytes: Span<UInt8>) -> Bool {
        !bytes.isEmpty && holds(test, bytes)
    }

    /// Compares text that is present.
    func holds(_ test: Test, _ bytes: Span<UInt8>) -> Bool {
        switch test.test {
        case .exists: return true
        case .never: return false
        case .like: return globs[test.values.lowerBound].matches(bytes)
        case .matches: return patterns[test.values.lowerBound].matches(bytes)
        case .isIn:
            for position in test.values where isEqual(test, bytes, values[position]) { return true }
            return false
        case .equal: return isEqual(test, bytes, values[test.values.lowerBound])
        case .notEqual: return !isEqual(test, bytes, values[test.values.lowerBound])
        case .contains:
            return withOperand(values[test.values.lowerBound]) { operand in
                bytes.contains(operand, ignoringCase: test.field.ignoresCase)
            }
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return withOperand(values[test.values.lowerBound]) { operand in
                let order = Program.order(bytes, operand, ignoringCase: test.field.ignoresCase)
                return Program.holds(test.test, order: order)
            }
        }
    }

    /// Compares a number; if it is absent, the comparison does not hold.
    func holds(_ test: Test, _ number: Int64?) -> Bool {
        guard let number else { return false }
        switch test.test {
        case .exists: return true
        case .isIn:
            for position in test.values where Program.order(number, values[position]) == 0 {
                return true
            }
            return false
        case .never, .like, .matches, .contains: return false
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard let order = Program.order(number, values[test.values.lowerBound]) else {
                return false
            }
            return Program.holds(test.test, order: order)
        }
    }

    /// Returns whether an operator holds if the left side is smaller (-1), equal (0) or larger (1).
    static func holds(_ test: Test.Operator, order: Int) -> Bool {
        switch test {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        case .isIn, .like, .matches, .contains, .exists, .never: false
        }
    }
}

// MARK: - Values

extension Program {
    func withOperand(_ value: Value, _ body: (Span<UInt8>) -> Bool) -> Bool {
        guard case .text(let range) = value else { return false }
        return body(text.span.extracting(range))
    }

    private func isEqual(_ test: Test, _ bytes: Span<UInt8>, _ value: Value) -> Bool {
        guard case .text(let range) = value else { return false }
        let operand = text.span.extracting(range)
        return test.field.ignoresCase
            ? bytes.equalsIgnoringCase(operand) : bytes.equals(operand)
    }

    static func order(_ left: Int64, _ value: Value) -> Int? {
        switch value {
        case .whole(let right): left < right ? -1 : left == right ? 0 : 1
        case .real(let right): Double(left) < right ? -1 : Double(left) == right ? 0 : 1
        case .text: nil
        }
    }

    /// Compares two texts by their bytes, which for UTF-8 is the order of their code points.
    private static func order(
        _ left: Span<UInt8>,
        _ right: Span<UInt8>,
        ignoringCase: Bool
    ) -> Int {
        for index in 0..<min(left.count, right.count) {
            let first = ignoringCase ? left[index].asciiLowercased : left[index]
            if first != right[index] { return first < right[index] ? -1 : 1 }
        }
        return (left.count - right.count).signum()
    }
}
