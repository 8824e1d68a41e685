// SPDX-License-Identifier: MIT

// Applies the changes of a script to the exchange, after the call has returned.

internal import CLuaShims
internal import TaplineModel
internal import TaplinePlugin

extension tapline_lua_bytes {
    /// The bytes, valid until the next call.
    @unsafe
    var buffer: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: bytes, count: count)
    }

    /// A copy of the bytes.
    var array: [UInt8] { unsafe Array(buffer) }

    /// A copy of the bytes as a short string.
    var byteString: ByteString { unsafe ByteString(buffer.span) }
}

extension StateView {
    /// Applies the script's changes to the exchange.
    ///
    /// On the wire (`isWire`) the size of a replaced body is updated to its number of bytes.
    func apply(to exchange: inout Exchange, _ context: inout ExchangeContext, isWire: Bool) {
        if unsafe outcome.pointee.request_changes != 0 {
            unsafe applyRequest(to: &exchange.request, isWire: isWire)
        }
        if let headers = unsafe outcome.pointee.request_headers {
            exchange.request.fields = unsafe headers.pointee.fields
        }
        let headers = unsafe outcome.pointee.response_headers
        if unsafe outcome.pointee.response_changes != 0 || headers != nil,
            var response = exchange.response
        {
            // Moving the response out and back changes its parts without a copy.
            exchange.response = nil
            unsafe applyResponse(to: &response, isWire: isWire)
            if let headers = unsafe headers { response.fields = unsafe headers.pointee.fields }
            exchange.response = response
        }
        if let tags = unsafe outcome.pointee.tags { exchange.tags = unsafe tags.pointee.notes }
        if let vars = unsafe outcome.pointee.vars { context.vars = unsafe vars.pointee.notes }
        for index in unsafe 0..<outcome.pointee.text_change_count {
            let change = unsafe outcome.pointee.text_changes[index]
            let position = unsafe change.position
            guard exchange.messages.indices.contains(position) else { continue }
            exchange.messages[position].bytes = unsafe change.text.array
            exchange.messages[position].isTruncated = false
        }
    }

    /// The text that the hook `message` assigned to its message; `nil` if it assigned none.
    var messageText: [UInt8]? {
        guard unsafe outcome.pointee.has_changed_text else { return nil }
        return unsafe exchange.pointee.message_text.array
    }

    private func applyRequest(to target: inout Request, isWire: Bool) {
        let changes = Int(unsafe outcome.pointee.request_changes)
        if changes & TAPLINE_LUA_METHOD != 0 {
            target.method = unsafe request.pointee.method.byteString
        }
        if changes & TAPLINE_LUA_TARGET != 0 {
            target.target = unsafe request.pointee.target.byteString
        }
        if changes & TAPLINE_LUA_SCHEME != 0 {
            target.scheme = unsafe request.pointee.scheme.byteString
        }
        if changes & TAPLINE_LUA_AUTHORITY != 0 {
            target.authority = unsafe request.pointee.authority.byteString
        }
        if changes & TAPLINE_LUA_BODY != 0 {
            target.body.replace(unsafe request.pointee.body.bytes.array, isWire: isWire)
            if isWire { target.trailers = FieldSection() }
        }
    }

    private func applyResponse(to target: inout Response, isWire: Bool) {
        let changes = Int(unsafe outcome.pointee.response_changes)
        if changes & TAPLINE_LUA_STATUS != 0 { target.status = Int(unsafe response.pointee.status) }
        if changes & TAPLINE_LUA_REASON != 0 {
            target.reason = unsafe response.pointee.reason.byteString
        }
        if changes & TAPLINE_LUA_BODY != 0 {
            target.body.replace(unsafe response.pointee.body.bytes.array, isWire: isWire)
            if isWire { target.trailers = FieldSection() }
        }
    }
}

extension tapline_lua_section {
    /// The fields of a section.
    var fields: FieldSection {
        let entries = unsafe UnsafeBufferPointer(
            start: UnsafeRawPointer(entries)?.assumingMemoryBound(to: FieldSection.Entry.self),
            count: count
        )
        return unsafe FieldSection(packing: entries.span, of: bytes.buffer.span)
    }

    /// The notes of a section, whose names are unique; invalid UTF-8 is replaced.
    var notes: Tags {
        var notes = Tags()
        var haveReplacedNames = false
        for index in unsafe 0..<count {
            let entry = unsafe entries[index]
            let start = Int(entry.start)
            let middle = start + Int(entry.name_count)
            let end = middle + Int(entry.value_count)
            let name = unsafe bytes.buffer[start..<middle]
            let value = unsafe String(decoding: bytes.buffer[middle..<end], as: UTF8.self)
            if !haveReplacedNames, let name = unsafe String(validating: name, as: UTF8.self) {
                notes.append(newName: name, value: value)
            } else {
                haveReplacedNames = true
                notes[unsafe String(decoding: name, as: UTF8.self)] = value
            }
        }
        return notes
    }
}

extension tapline_lua_outcome {
    /// The script's verdict for the wire.
    var wireVerdict: Verdict {
        let verdict: Verdict
        switch Int(unsafe self.verdict) {
        case TAPLINE_LUA_RESPOND: verdict = .respond(unsafe reply.response)
        case TAPLINE_LUA_DROP: verdict = .drop(reason: unsafe reason)
        case TAPLINE_LUA_ABORT: verdict = .abort
        default: verdict = .proceed
        }
        let delay = unsafe delay_microseconds
        return delay > 0 ? verdict.delayed(by: Microseconds(delay)) : verdict
    }

    /// The script's verdict for the record.
    var recordVerdict: RecordVerdict {
        Int(unsafe verdict) == TAPLINE_LUA_DROP ? .drop(reason: unsafe reason) : .keep
    }

    /// The script's verdict for a message.
    var messageVerdict: MessageVerdict {
        switch Int(unsafe verdict) {
        case TAPLINE_LUA_DROP: .drop
        case TAPLINE_LUA_ABORT: .abort
        default: .pass
        }
    }

    private var reason: String {
        unsafe drop_reason.count > 0 ? unsafe String(drop_reason) : "dropped by the script"
    }
}

extension tapline_lua_message {
    /// The response that a script created with `respond`.
    fileprivate var response: Response {
        Response(
            status: Int(unsafe status),
            reason: unsafe reason.byteString,
            fields: unsafe headers.fields,
            body: Body(unsafe body.bytes.array)
        )
    }
}

extension Body {
    /// Sets the content that a script assigned; on the wire its fields are already updated.
    fileprivate mutating func replace(_ bytes: [UInt8], isWire: Bool) {
        if isWire { self = Body(bytes) } else { replaceRecorded(bytes) }
    }
}
