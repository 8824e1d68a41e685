// SPDX-License-Identifier: MIT

internal import TaplineExport
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineOperations
internal import TaplineServe
internal import TaplineStore
internal import TaplineSystem

/// `GET /api/info`.
enum InfoEndpoint {
    static func answer(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        call.context.waitForLook()
        var status = call.context.stores.status ?? .ok
        var files: [StoreFile] = []
        var shown: NumberedHead?
        do {
            let opened = try open.opened()
            files = StoreFile.all(opened.stores)
            shown = opened.generation.heads.current
        } catch {
            if status == .ok { status = StoreStatus(error) }
            files = call.context.names.map { StoreFile(path: $0) }
        }
        let head = shown?.head
        let count = head?.count ?? 0
        if status == .ok, head != nil, count == 0 { status.state = "empty" }
        var json = JSONWriter()
        json.object { json in
            json.member("version", ProgramVersion.text)
            json.key("stores")
            json.array { json in
                for file in files { json.file(file) }
            }
            json.member("mode", "inspect")
            json.member("state", status.state)
            if !status.message.isEmpty { json.member("message", status.message) }
            if !status.help.isEmpty { json.member("help", status.help) }
            json.member("count", count)
            json.member("head", shown?.number ?? 0)
            if let first = head?.first { json.member("first", first.microseconds) }
            if let last = head?.last { json.member("last", last.microseconds) }
            json.member("unfinished", call.context.hub.unfinished)
            json.key("can")
            json.object { json in
                json.member("annotate", files.contains(where: \.isWritable))
                json.member("resend", call.context.control?.canSend == true)
                json.member("actions", call.context.runs != nil)
                json.member("rules", !call.context.ruleBook.files.isEmpty)
                json.member("pause", call.context.control?.ruleFiles.isEmpty == false)
            }
            json.key("exports")
            json.array { json in
                for format in ExportFormat.allCases { json.string(format.rawValue) }
            }
        }
        return ServedResponse(json: json)
    }
}

/// A file that is a store.
private struct StoreFile {
    let path: String
    var isDatabase = false
    var bytes: Int?
    var isWritable = false

    init(path: String) { self.path = path }

    static func all(_ stores: StoreSet) -> [StoreFile] {
        (0..<stores.count).map { index in
            let store = stores[index]
            var file = StoreFile(path: store.path)
            file.isDatabase = store.isDatabase
            file.bytes = (try? FileSystem.status(of: store.path))?.size
            file.isWritable = store.isDatabase && (try? StoreEditor(store.path)) != nil
            return file
        }
    }
}

extension JSONWriter {
    fileprivate mutating func file(_ file: StoreFile) {
        object { json in
            json.member("path", file.path)
            json.member("kind", file.isDatabase ? "database" : "recording")
            if let bytes = file.bytes { json.member("bytes", bytes) }
            json.member("writable", file.isWritable)
        }
    }
}
