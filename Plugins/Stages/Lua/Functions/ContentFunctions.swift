// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Sets the functions for content types and multipart bodies.
    mutating func setContentFunctions() {
        unsafe content_replace = { fields, isRequest, status, size, entries, room, count in
            guard var section = unsafe fields?.pointee.fields else { return 0 }
            if isRequest {
                section.replaceRequestContent(size: size)
            } else {
                section.replaceResponseContent(size: size, status: Int(status))
            }
            return unsafe section.write(to: entries, room, count)
        }
        unsafe content_allows = { Response.allowsMadeContent(Int($0)) }
        unsafe media_kinds = { contentType in
            let type = unsafe contentType.byteString.mediaType
            var kinds = 0
            if type.isJSONMediaType { kinds |= TAPLINE_LUA_MEDIA_JSON }
            if type == "application/x-www-form-urlencoded" { kinds |= TAPLINE_LUA_MEDIA_FORM }
            if type.description.hasPrefix("multipart/") { kinds |= TAPLINE_LUA_MEDIA_MULTIPART }
            return UInt32(kinds)
        }
        unsafe multipart_delimiter = { contentType, room in
            let reader = unsafe MultipartReader(editingContentOf: contentType.buffer.span)
            return unsafe reader?.delimiter.copy(to: room) ?? 0
        }
        unsafe multipart_split = { delimiter, body, parts, capacity, close in
            let reader = unsafe MultipartReader(editingWith: delimiter.array)
            let found = unsafe reader.split(body.buffer.span)
            guard let found else { return -1 }
            for (index, part) in found.parts.prefix(capacity).enumerated() {
                unsafe parts?[index] = part
            }
            unsafe close?.pointee = found.close
            return found.parts.count
        }
        unsafe multipart_has_delimiter = { delimiter, text in
            let reader = unsafe MultipartReader(editingWith: delimiter.array)
            return unsafe reader.hasDelimiter(text.buffer.span)
        }
        unsafe multipart_value = { head, what, room in
            guard let value = unsafe head.partValue(Int(what)) else { return -1 }
            return unsafe value.copy(to: room)
        }
        unsafe multipart_fields = { head, entries, room in
            unsafe head.writePartFields(to: entries, room)
        }
    }
}

extension FieldSection {
    /// Copies the fields into the buffer provided by C; returns their number.
    @unsafe
    fileprivate func write(
        to entries: UnsafeMutablePointer<tapline_lua_entry>?,
        _ room: UnsafeMutablePointer<UInt8>?,
        _ count: UnsafeMutablePointer<Int>?
    ) -> Int {
        guard let room = unsafe room, let entries = unsafe entries else { return 0 }
        var filled = 0
        for position in indices {
            let (name, value) = (name(at: position), value(at: position))
            unsafe entries[position] = tapline_lua_entry(
                start: UInt32(truncatingIfNeeded: filled),
                name_count: UInt32(truncatingIfNeeded: name.count),
                value_count: UInt32(truncatingIfNeeded: value.count)
            )
            filled += unsafe name.copy(to: room + filled)
            filled += unsafe value.copy(to: room + filled)
        }
        unsafe count?.pointee = filled
        return self.count
    }
}

extension MultipartReader {
    /// The parts of a body, and the start of its last delimiter; `nil` if the head of a part or the
    /// body is incomplete.
    fileprivate func split(_ body: Span<UInt8>) -> (parts: [tapline_lua_part], close: Int)? {
        var parts: [tapline_lua_part] = []
        var isWhole = true
        var close: Int?
        read(body, 0..<body.count) { piece in
            switch piece {
            case .preamble: break
            case .part(let part):
                guard part.isEnded, let content = part.content else {
                    isWhole = false
                    return
                }
                parts.append(
                    tapline_lua_part(
                        head: part.range.lowerBound,
                        start: content.lowerBound,
                        end: content.upperBound
                    )
                )
            case .epilogue(let rest): close = rest.lowerBound - 2 - delimiter.count
            }
        }
        guard isWhole, let close else { return nil }
        return (parts, close)
    }
}

extension tapline_lua_bytes {
    /// The head of a part of a multipart body.
    private var partHead: MIMEHead {
        unsafe MIMEHead(buffer.span, 0..<count, usesReturn: true)
    }

    /// The value in the head of a part, given its number in C.
    fileprivate func partValue(_ what: Int) -> [UInt8]? {
        let isType = what == TAPLINE_LUA_PART_CONTENT_TYPE
        let name = isType ? "content-type" : "content-disposition"
        guard let range = unsafe partHead.value(of: name, buffer.span) else { return nil }
        let value = unsafe MIMEHead.unfolded(buffer.span.extracting(range))
        if isType { return value }
        let parameter = what == TAPLINE_LUA_PART_NAME ? "name" : "filename"
        return MIMEParameters(value.span).readings(of: parameter).texts.first
    }

    /// Writes the fields of a part's head, with lowercase names.
    fileprivate func writePartFields(
        to entries: UnsafeMutablePointer<tapline_lua_entry>?,
        _ room: UnsafeMutablePointer<UInt8>?
    ) -> Int {
        var bytes: [UInt8] = []
        let fields = unsafe partHead.fields
        for (index, field) in fields.enumerated() {
            let start = bytes.count
            let name = unsafe Array(copying: buffer.span.extracting(field.name))
            bytes += name.map(\.asciiLowercased)
            let value = unsafe MIMEHead.unfolded(buffer.span.extracting(field.value))
            bytes += value
            unsafe entries?[index] = tapline_lua_entry(
                start: UInt32(clamping: start),
                name_count: UInt32(clamping: name.count),
                value_count: UInt32(clamping: value.count)
            )
        }
        _ = unsafe bytes.copy(to: room)
        return fields.count
    }
}
