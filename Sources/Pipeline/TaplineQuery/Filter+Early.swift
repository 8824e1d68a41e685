// SPDX-License-Identifier: MIT

extension Filter {
    /// Returns the conditions of the filter that can be evaluated at a moment without buffered
    /// bodies.
    ///
    /// An exchange that does not match them at that moment will not match the filter either. They
    /// are conservative: if none of them can be evaluated, every exchange matches.
    package func matcher(forFieldsKnownAt moment: FilterMoment) -> FilterMatcher {
        let parts: [FilterTree] = if case .and(let children) = tree { children } else { [tree] }
        return matcher(for: parts.filter { $0.isKnown(at: moment) })
    }
}

extension FilterTree {
    /// Whether all fields are known at a moment.
    fileprivate func isKnown(at moment: FilterMoment) -> Bool {
        switch self {
        case .comparison(let comparison): comparison.field.knownAt <= moment
        case .not(let child): child.isKnown(at: moment)
        case .and(let children), .or(let children):
            children.allSatisfy { $0.isKnown(at: moment) }
        }
    }
}
