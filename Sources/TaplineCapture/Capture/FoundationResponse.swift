// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
@_spi(Reflection) internal import Swift
#endif

/// What a response of Foundation holds and hands out only at great cost.
///
/// **Source**: stored properties of `HTTPURLResponse` in swift-corelibs-foundation.
enum FoundationResponse {
    /// Where the fields stand in a response; nothing where another version holds them in another way.
    static let offset: Int? = {
        #if canImport(FoundationNetworking)
        // The constant of that name is a variable, which one may not look at from every thread.
        let classType = _EachFieldOptions(rawValue: 1)
        var found: Int?
        _ = unsafe _forEachField(of: HTTPURLResponse.self, options: classType) {
            (name: UnsafePointer<CChar>, offset: Int, type: Any.Type, _: _MetadataKind) in
            if unsafe String(cString: name) == "_allHeaderFields", type == [String: String].self {
                found = offset
            }
            return found == nil
        }
        return found
        #else
        return nil
        #endif
    }()

    /// The fields of a response by their names.
    ///
    /// `allHeaderFields` makes a dictionary of AnyHashable and Any of them with each call, which costs
    /// four times of what all else costs that is done with them here.
    static func fields(of response: HTTPURLResponse) -> [String: String] {
        guard let offset else { return response.allHeaderFields as? [String: String] ?? [:] }
        return withExtendedLifetime(response) {
            unsafe Unmanaged.passUnretained(response).toOpaque()
                .load(fromByteOffset: offset, as: [String: String].self)
        }
    }
}
