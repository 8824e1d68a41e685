// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What a response of Foundation holds and hands out only at great cost.
enum FoundationResponse {
    static let stored = FoundationField<[String: String]>(
        "_allHeaderFields",
        of: HTTPURLResponse.self
    )

    /// The fields of a response by their names.
    ///
    /// `allHeaderFields` makes a dictionary of AnyHashable and Any of them with each call, which costs
    /// four times of what all else costs that is done with them here.
    static func fields(of response: HTTPURLResponse) -> [String: String] {
        stored?.value(of: response) ?? response.allHeaderFields as? [String: String] ?? [:]
    }
}
