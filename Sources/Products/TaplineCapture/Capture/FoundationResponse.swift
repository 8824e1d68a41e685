// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Reads the data of a Foundation response whose accessors are expensive.
enum FoundationResponse {
    static let stored = FoundationField<[String: String]>(
        "_allHeaderFields",
        of: HTTPURLResponse.self
    )

    /// Returns the fields of a response by name.
    ///
    /// `allHeaderFields` builds a dictionary of AnyHashable and Any with each call, which costs
    /// four times as much as all other work with the fields here.
    static func fields(of response: HTTPURLResponse) -> [String: String] {
        stored?.value(of: response) ?? response.allHeaderFields as? [String: String] ?? [:]
    }
}
