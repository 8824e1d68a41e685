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
        let offset = Self.offset(of: name, in: owner) { $0 == Value.self }
        guard let offset else { return nil }
        self.offset = offset
    }

    /// Returns the offset of the stored property with a name, if its type is the expected one.
    fileprivate static func offset(
        of name: String,
        in owner: AnyClass,
        where isExpected: (Any.Type) -> Bool
    ) -> Int? {
        #if canImport(FoundationNetworking)
        // The constant with that name is a variable, which cannot be read from every thread.
        let classType = _EachFieldOptions(rawValue: 1)
        var found: Int?
        _ = unsafe _forEachField(of: owner, options: classType) {
            (field: UnsafePointer<CChar>, offset: Int, type: Any.Type, _: _MetadataKind) in
            if unsafe String(cString: field) == name, isExpected(type) { found = offset }
            return found == nil
        }
        return found
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

/// A stored property with a reference to an object, whose declared type is a protocol of Foundation.
///
/// A reflected copy of such a property takes longer than everything else that capture does.
struct FoundationReference<Object: AnyObject>: Sendable {
    private let offset: Int

    /// Finds the stored property with this name, if its type is this protocol, optional, and it has the
    /// size of a reference to an object with a protocol.
    init?(_ name: String, declared: String, of owner: AnyClass) {
        let expected = MemoryLayout<(any AnyObject & CustomStringConvertible)?>.size
        let offset = FoundationField<Object>.offset(of: name, in: owner) {
            "\($0)" == "Optional<\(declared)>" && _openExistential($0, do: size(of:)) == expected
        }
        guard let offset else { return nil }
        self.offset = offset
    }

    /// Returns the object; `nil` if there is none, or one of another class.
    func value(of owner: AnyObject) -> Object? {
        withExtendedLifetime(owner) {
            // The reference comes first, then the table of the protocol.
            let reference = unsafe Unmanaged.passUnretained(owner).toOpaque()
                .load(fromByteOffset: offset, as: UnsafeRawPointer?.self)
            guard let reference = unsafe reference else { return nil }
            return unsafe Unmanaged<AnyObject>.fromOpaque(reference).takeUnretainedValue()
                as? Object
        }
    }
}

private func size<Stored>(of _: Stored.Type) -> Int { MemoryLayout<Stored>.size }
