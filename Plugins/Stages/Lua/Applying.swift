// SPDX-License-Identifier: MIT

// How what a script changed reaches the exchange, after the call has returned.

internal import CLuaShims
internal import TaplineModel
internal import TaplinePlugin

extension tapline_lua_bytes {
    /// The bytes, good until the next call.
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
    /// Changes the exchange as the script did.
    ///
    /// `isWire` says whether a body's size follows its bytes.
    func apply(to exchange: inout Exchange, _ context: inout ExchangeContext, isWire: Bool) {
        if unsafe outcome.pointee.request_changes != 0 {
            unsafe applyRequest(to: &exchange.request, isWire: isWire)
        }
        if unsafe outcome.pointee.response_changes != 0, var response = exchange.response {
            exchange.response = nil
            unsafe applyResponse(to: &response, isWire: isWire)
            exchange.response = response
        }
        for index in unsafe 0..<outcome.pointee.edit_count {
            unsafe applyEdit(index, to: &exchange, &context)
        }
    }

    /// The text that the hook `message` has given its message; `nil` if it left it.
    var messageText: [UInt8]? {
        for index in unsafe (0..<outcome.pointee.edit_count).reversed() {
            let edit = unsafe outcome.pointee.edits[index]
            if Int(unsafe edit.section) == TAPLINE_LUA_MESSAGE_TEXT {
                return unsafe edit.value.array
            }
        }
        return nil
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

    private func applyEdit(
        _ index: Int,
        to exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) {
        let edit = unsafe outcome.pointee.edits[index]
        switch Int(unsafe edit.section) {
        case TAPLINE_LUA_REQUEST_HEADERS: unsafe edit.apply(to: &exchange.request.fields)
        case TAPLINE_LUA_RESPONSE_HEADERS:
            guard var response = exchange.response else { return }
            exchange.response = nil
            unsafe edit.apply(to: &response.fields)
            exchange.response = response
        case TAPLINE_LUA_MESSAGES:
            let position = Int(unsafe edit.position)
            guard exchange.messages.indices.contains(position) else { return }
            exchange.messages[position].bytes = unsafe edit.value.array
            exchange.messages[position].isTruncated = false
        case TAPLINE_LUA_MESSAGE_TEXT: break
        case TAPLINE_LUA_TAGS: unsafe edit.apply(to: &exchange.tags)
        default: unsafe edit.apply(to: &context.vars)
        }
    }
}

extension tapline_lua_edit {
    func apply(to fields: inout FieldSection) {
        let name = unsafe self.name.buffer.span
        let value = unsafe self.value.buffer.span
        let position = Int(unsafe self.position)
        switch Int(unsafe operation) {
        case TAPLINE_LUA_SET: fields.set(name, to: value)
        case TAPLINE_LUA_ADD: fields.append(name: name, value: value)
        case TAPLINE_LUA_SET_AT:
            guard fields.indices.contains(position) else { return }
            fields.replaceValue(at: position, with: value)
        case TAPLINE_LUA_REMOVE_AT:
            guard fields.indices.contains(position) else { return }
            fields.remove(at: position)
        default: fields.removeAll(name)
        }
    }

    /// Notes are text: what is not UTF-8 is replaced.
    func apply(to notes: inout Tags) {
        let removes = Int(unsafe operation) == TAPLINE_LUA_REMOVE
        notes[unsafe String(name)] = removes ? nil : unsafe String(value)
    }
}

extension Body {
    /// Takes other bytes, which are whole and not coded.
    ///
    /// A record's size stays what was counted.
    mutating func replace(_ bytes: [UInt8], isWire: Bool) {
        self = Body(
            bytes: bytes,
            size: isWire ? bytes.count : size,
            contentType: isWire ? ByteString() : contentType
        )
    }
}

extension tapline_lua_outcome {
    /// What the script wants to happen on the wire.
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

    /// What the script wants to happen with the record.
    var recordVerdict: RecordVerdict {
        Int(unsafe verdict) == TAPLINE_LUA_DROP ? .drop(reason: unsafe reason) : .keep
    }

    /// What the script wants to happen with a message.
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
    /// The response that a script made.
    fileprivate var response: Response {
        var fields = FieldSection()
        let bytes = unsafe headers.bytes.buffer.span
        let count = unsafe headers.count
        fields.reserveCapacity(fields: count, bytes: bytes.count)
        for index in 0..<count {
            let entry = unsafe headers.entries[index]
            let start = Int(entry.start)
            let middle = start + Int(entry.name_count)
            fields.append(
                name: bytes.extracting(start..<middle),
                value: bytes.extracting(middle..<middle + Int(entry.value_count))
            )
        }
        return Response(
            status: Int(unsafe status),
            reason: unsafe reason.byteString,
            fields: fields,
            body: Body(unsafe body.bytes.array)
        )
    }
}
