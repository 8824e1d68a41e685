// SPDX-License-Identifier: MIT

public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Foundation's own session.
public typealias TapSession = URLSession

extension URLSession {
    /// A session that nobody captures.
    public convenience init(
        configuration: URLSessionConfiguration = .default,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil,
        tap: Tap? = nil
    ) {
        self.init(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }

    /// Itself.
    public var session: URLSession { self }
}

extension URLSessionConfiguration {
    /// A copy of this configuration.
    public func tapped(by tap: Tap? = nil) -> URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }
}
