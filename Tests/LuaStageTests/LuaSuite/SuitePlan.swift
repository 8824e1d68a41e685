// SPDX-License-Identifier: MIT

import TaplineModel

@testable import LuaStage

/// The statements of a script that run in the sandbox, and the reasons why others do not.
struct SuitePlan {
    let script: SuiteScript
    /// The text that runs, with unchanged line numbers.
    private(set) var text: [UInt8]
    private(set) var kept: [SuiteScript.Statement] = []
    /// The number of skipped statements, by reason.
    private(set) var reasons: [String: Int] = [:]
    private(set) var left = 0

    /// Differences by the marks of the statements that show them.
    private let differences: [UInt32: String]
    /// Names whose values differ from the script's expectation, because their assignment was
    /// skipped.
    private var stale: Set<String> = []

    init(_ script: SuiteScript, differences: [UInt32: String]) {
        self.script = script
        self.differences = differences
        text = script.bytes
        plan(script.statements)
    }

    private mutating func plan(_ statements: [SuiteScript.Statement]) {
        for statement in statements {
            if let reason = reason(for: statement) {
                leave(statement, reason)
            } else if statement.isBlock, !statement.children.isEmpty {
                planBlock(statement)
            } else {
                kept.append(statement)
                stale.subtract(script.assigned(by: statement))
            }
        }
    }

    private mutating func planBlock(_ block: SuiteScript.Statement) {
        let outer = self
        let before = stale
        stale.subtract(script.declared(in: block.tokens, deep: false))
        plan(block.children)
        let isWhole = left == outer.left
        // Variables of the block end with it; notes about outer variables are kept.
        var own = script.declared(in: block.tokens, deep: false)
        for child in block.children {
            own.formUnion(script.declared(in: child.tokens, deep: false))
        }
        stale = stale.subtracting(own).union(before.intersection(own))
        // The statement that ends a loop may have been skipped.
        let opening = script.tokens[block.tokens.lowerBound].kind
        guard !isWhole, opening == .symbol("while") || opening == .symbol("repeat") else { return }
        let inner = reasons.first { $0.value > outer.reasons[$0.key] ?? 0 }
        self = outer
        leave(block, inner?.key ?? "")
    }

    /// Why a statement cannot run; the inner statements of a block are not considered.
    private func reason(for statement: SuiteScript.Statement) -> String? {
        if let reason = differences[script.mark(of: statement)] { return reason }
        var names: Set<String> = []
        if statement.isBlock {
            var start = statement.tokens.lowerBound
            for child in statement.children {
                names.formUnion(script.uses(in: start..<max(start, child.tokens.lowerBound)))
                start = child.tokens.upperBound
            }
            names.formUnion(script.uses(in: start..<max(start, statement.tokens.upperBound)))
            names.subtract(script.declared(in: statement.tokens, deep: false))
        } else {
            names = script.uses(in: statement.tokens)
        }
        if let absent = names.intersection(SuiteDifferences.absent).min() {
            return "names '\(absent)'"
        }
        if let name = names.intersection(stale).min() { return "uses '\(name)', left out before" }
        return nil
    }

    private mutating func leave(_ statement: SuiteScript.Statement, _ reason: String) {
        for index in statement.range where text[index] != .ascii("\n") { text[index] = .ascii(" ") }
        let count = Self.count(statement)
        left += count
        reasons[reason, default: 0] += count
        stale.formUnion(script.assigned(by: statement))
    }

    /// The number of statements; a block counts as its inner statements.
    static func count(_ statement: SuiteScript.Statement) -> Int {
        statement.children.isEmpty || !statement.isBlock
            ? 1 : statement.children.reduce(0) { $0 + count($1) }
    }

    /// The text that runs of the first `count` statements on the outermost level.
    func text(ofFirst count: Int) -> [UInt8] {
        var result = text
        guard count < script.statements.count else { return result }
        for index in script.statements[count].range.lowerBound..<result.count
        where result[index] != .ascii("\n") { result[index] = .ascii(" ") }
        return result
    }
}
