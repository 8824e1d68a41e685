// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Sets the functions for the items of queries and forms, and for cookies.
    mutating func setQueryFunctions() {
        unsafe query_next = { query, position, name, value in
            guard let item = unsafe nextItem(of: query, position) else { return false }
            unsafe name?.pointee = query[item.name]
            unsafe value?.pointee = query[item.value]
            return true
        }
        unsafe query_find = { query, position, wanted, value in
            while let item = unsafe nextItem(of: query, position) {
                let name = unsafe query[item.name].buffer.span
                guard
                    unsafe PercentEncoding.decodes(name, to: wanted.buffer.span, plusIsSpace: true)
                else { continue }
                unsafe value?.pointee = query[item.value]
                return true
            }
            return false
        }
        unsafe query_write = { query, name, value, adds, room in
            let edited = unsafe QueryItems.setting(
                name.buffer.span,
                to: value?.pointee.array,
                appends: adds,
                in: query.buffer.span
            )
            return unsafe edited.copy(to: room)
        }
        unsafe cookie_next = { field, position, pair in
            guard let position = unsafe position,
                let found = unsafe CookiePair(field.buffer.span, from: position.pointee)
            else { return false }
            unsafe position.pointee = found.next
            let end = found.name.upperBound
            unsafe pair?.pointee = tapline_lua_cookie(
                name: field[found.name],
                value: field[found.value ?? end..<end],
                has_value: found.value != nil
            )
            return true
        }
    }
}

/// Returns the next item of a query and advances the position past it.
@unsafe
private func nextItem(
    of query: tapline_lua_bytes,
    _ position: UnsafeMutablePointer<Int>?
) -> QueryItems.Item? {
    guard let position = unsafe position else { return nil }
    var items = unsafe QueryItems(position.pointee..<max(position.pointee, query.count))
    guard let item = unsafe items.next(in: query.buffer.span) else { return nil }
    unsafe position.pointee = item.value.upperBound + 1
    return item
}
