// SPDX-License-Identifier: MIT

#if canImport(FoundationNetworking)
@_spi(Reflection) internal import Swift
#endif

/// A stored property of a Foundation class that has no accessor, or only an expensive one.
///
/// **Source**: swift-corelibs-foundation; on other platforms, and in a version with another layout,
/// the field does not exist.
/// **Isolation**: that of the object: it must not change during the read.
struct FoundationField<Value>: Sendable {
    private let offset: Int

    /// Finds the stored property with this name and exactly this type.
    init?(_ name: String, of owner: AnyClass) {
        #if canImport(FoundationNetworking)
        // The constant with that name is a variable, which cannot be read from every thread.
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

    /// Returns the value in an object of the class or of a subclass.
    func value(of object: AnyObject) -> Value {
        withExtendedLifetime(object) {
            unsafe Unmanaged.passUnretained(object).toOpaque()
                .load(fromByteOffset: offset, as: Value.self)
        }
    }
}
