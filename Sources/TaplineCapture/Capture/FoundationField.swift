// SPDX-License-Identifier: MIT

#if canImport(FoundationNetworking)
@_spi(Reflection) internal import Swift
#endif

/// A stored property of a class of Foundation that it hands out only at great cost, or not at all.
///
/// **Source**: swift-corelibs-foundation; elsewhere, and in a version that holds it in another way,
/// there is none.
/// **Isolation**: that of the object: it is read where nobody changes it meanwhile.
struct FoundationField<Value>: Sendable {
    private let offset: Int

    /// The stored property of that name and exactly that type.
    init?(_ name: String, of owner: AnyClass) {
        #if canImport(FoundationNetworking)
        // The constant of that name is a variable, which one may not look at from every thread.
        let classType = _EachFieldOptions(rawValue: 1)
        var found: Int?
        _ = unsafe _forEachField(of: owner, options: classType) {
            (field: UnsafePointer<CChar>, offset: Int, type: Any.Type, _: _MetadataKind) in
            if unsafe String(cString: field) == name, type == Value.self { found = offset }
            return found == nil
        }
        guard let found else { return nil }
        offset = found
        #else
        return nil
        #endif
    }

    /// What an object of the class, or of one below it, holds there.
    func value(of object: AnyObject) -> Value {
        withExtendedLifetime(object) {
            unsafe Unmanaged.passUnretained(object).toOpaque()
                .load(fromByteOffset: offset, as: Value.self)
        }
    }
}
