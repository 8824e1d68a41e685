// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

@Suite struct FilterTreeTests {
    private func comparison(_ text: String) throws -> FilterComparison {
        guard case .comparison(let comparison) = try Filter(text).tree else {
            throw FilterTreeError.notAComparison
        }
        return comparison
    }

    private enum FilterTreeError: Error { case notAComparison }

    @Test func comparisonsHaveFieldKeyOperatorAndValues() throws {
        let header = try comparison(#"request.header["X-A"] in ["a", "b"]"#)
        #expect(header.field == .requestHeader)
        #expect(header.key == Array("X-A".utf8))
        #expect(header.comparison == .isIn)
        #expect(header.values == [.text(Array("a".utf8)), .text(Array("b".utf8))])
        #expect(try comparison("status > 502.5").values == [.real(502.5)])
        #expect(try comparison("duration > 1ms").values == [.whole(1000)])
        #expect(try comparison(#"host == "A.b""#).values == [.text(Array("a.b".utf8))])
        #expect(try comparison(#"host like "*.B""#).glob == Array("*.b".utf8))
        #expect(try comparison(#"path ~ "a""#).values.isEmpty)
        #expect(try comparison(#"host == env["NONE"]"#).comparison == .never)
        #expect(try comparison(#"status_class like "4*""#).holds(for: Array("4xx".utf8)))
    }

    @Test func partsAreEvaluatedAlone() throws {
        let filter = try Filter(#"status == 1 and not (method == "POST" or path ~ "^/x")"#)
        guard case .and(let parts) = filter.tree, parts.count == 2, case .not(let part) = parts[1]
        else {
            Issue.record("wrong tree")
            return
        }
        let exchange = Samples.full()
        #expect(!filter.matches(exchange))
        #expect(!filter.matcher(for: [parts[0]]).matches(exchange))
        #expect(filter.matcher(for: [part]).matches(exchange))
        #expect(!filter.matcher(for: parts).matches(exchange))
    }
}
