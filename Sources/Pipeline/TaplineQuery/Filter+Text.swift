// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Parts of a filter as text, for explanations.
extension Filter {
    /// Returns a part of the filter's tree as text of the filter language.
    ///
    /// - Parameters:
    ///   - tree: A part of `tree`.
    ///   - hidingSecrets: Whether `***` replaces the values of comparisons that may hold secrets.
    /// - Returns: The text.
    package func text(of tree: FilterTree, hidingSecrets: Bool = false) -> String {
        switch tree {
        case .comparison(let comparison):
            let source = Self.slice(text.utf8, comparison.test)
            return hidingSecrets && comparison.mayHoldSecret
                ? Self.hiding(comparison, source) : String(decoding: source, as: UTF8.self)
        case .not(let child):
            let inner = text(of: child, hidingSecrets: hidingSecrets)
            return child.isCombined ? "not (\(inner))" : "not \(inner)"
        case .and(let children):
            return children.map { child in
                let inner = text(of: child, hidingSecrets: hidingSecrets)
                return if case .or = child { "(\(inner))" } else { inner }
            }
            .joined(separator: " and ")
        case .or(let children):
            return children.map { text(of: $0, hidingSecrets: hidingSecrets) }
                .joined(separator: " or ")
        }
    }

    /// The bytes of a comparison.
    private static func slice(_ text: String.UTF8View, _ test: Test) -> [UInt8] {
        Array(text.dropFirst(Int(test.start)).prefix(Int(test.length)))
    }

    /// The field with its name in brackets, the operator, and `***` instead of values.
    private static func hiding(_ comparison: FilterComparison, _ source: [UInt8]) -> String {
        var end = 0
        if comparison.field.isKeyed {
            end = endOfString(source)
            while end < source.count, source[end] == .ascii(" ") { end += 1 }
            if end < source.count, source[end] == .ascii("]") { end += 1 }
        } else {
            end = comparison.field.name.utf8.count
        }
        let field = String(decoding: source.prefix(end), as: UTF8.self)
            .trimmingSuffix { $0.isWhitespace }
        return switch comparison.comparison {
        case .exists: "\(field) exists"
        default: "\(field) \(comparison.comparison.symbol) ***"
        }
    }

    /// The position after the first string.
    private static func endOfString(_ source: [UInt8]) -> Int {
        guard let start = source.firstIndex(of: .ascii("\"")) else { return source.count }
        var index = start + 1
        while index < source.count, source[index] != .ascii("\"") {
            index += source[index] == .ascii("\\") ? 2 : 1
        }
        return min(index + 1, source.count)
    }
}

extension FilterTree {
    /// Whether it needs parentheses after `not`.
    fileprivate var isCombined: Bool {
        switch self {
        case .comparison, .not: false
        case .and, .or: true
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return String(text)
    }
}

extension FilterOperator {
    /// The operator as it is written; for comparisons that never hold, what stands for any.
    fileprivate var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .isIn: "in"
        case .like: "like"
        case .matches: "~"
        case .contains: "contains"
        case .exists: "exists"
        case .never: "…"
        }
    }
}

extension FilterComparison {
    /// Whether its values may be secrets: values of the environment, and of fields in which clients
    /// and servers send secrets.
    package var mayHoldSecret: Bool {
        if test.usesEnvironment { return true }
        return switch field {
        case .id, .source, .state, .method, .scheme, .host, .port, .path, .route, .status,
            .statusClass, .client, .server, .duration, .started, .error, .contentType,
            .requestVersion, .responseVersion, .tlsVersion, .requestSize, .responseSize, .bytesUp,
            .bytesDown, .grpcService, .grpcMethod, .grpcStatus, .mark:
            false
        case .url, .query, .correlation, .tag, .env, .requestHeader, .responseHeader,
            .requestCookie, .responseCookie, .requestBody, .responseBody, .requestJSON,
            .responseJSON, .json, .messageText, .any, .note:
            true
        }
    }
}
