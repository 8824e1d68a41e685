// SPDX-License-Identifier: MIT

/// The keys of access logs in JSON, by what they mean.
///
/// **Source**: the variables of nginx, and names in common configurations of nginx and Apache.
enum LogKeys {
    /// The meaning of a key.
    enum Meaning {
        case time
        case method
        case target
        /// A whole request line.
        case line
        case query
        case version
        case scheme
        case host
        case status
        case size
        case client
        case clientPort
        case user
        case field(String)
        /// Seconds until the end, of nginx, whose time is that of the end.
        case nginxSeconds
        case milliseconds
        case microseconds
    }

    static func meaning(of key: String) -> Meaning? { meanings[key.lowercased()] }

    /// Whether an object with these keys is a line of an access log.
    static func describeLog(_ keys: Set<String>) -> Bool {
        var hasStatus = false
        var hasRequest = false
        for key in keys {
            switch meaning(of: key) {
            case .status: hasStatus = true
            case .method, .target, .line: hasRequest = true
            default: break
            }
        }
        return hasStatus && hasRequest
    }

    private static let groups: [(Meaning, String)] = [
        (.time, "time time_local time_iso8601 timestamp @timestamp msec ts datetime date"),
        (.method, "method request_method http_method verb"),
        (.target, "uri request_uri url path request_path target requesturi"),
        (.line, "request request_line"),
        (.query, "query query_string args querystring"),
        (.version, "protocol server_protocol http_version request_protocol proto"),
        (.scheme, "scheme request_scheme"),
        (.host, "host http_host vhost virtual_host server_name servername"),
        (.status, "status status_code response_status response_code http_status code"),
        (.size, "body_bytes_sent bytes size response_size response_bytes bytes_out"),
        (
            .client,
            "remote_addr client_ip remote_ip clientip remote_host ip client remoteip client_addr"
        ),
        (.clientPort, "remote_port client_port"),
        (.user, "remote_user user auth_user"),
        (.field("Referer"), "http_referer referer referrer http_referrer"),
        (.field("User-Agent"), "http_user_agent user_agent agent useragent"),
        (.field("X-Forwarded-For"), "http_x_forwarded_for x_forwarded_for forwarded_for"),
        (.field("X-Request-Id"), "http_x_request_id x_request_id"),
        (.field("Content-Type"), "http_content_type"),
        (.nginxSeconds, "request_time"),
        (.milliseconds, "duration_ms request_time_ms response_time_ms elapsed_ms time_taken_ms"),
        (.microseconds, "duration_us request_time_us response_time_us time_taken_us"),
    ]

    private static let meanings: [String: Meaning] = {
        var meanings: [String: Meaning] = [:]
        for (meaning, names) in groups {
            for name in names.split(separator: " ") { meanings[String(name)] = meaning }
        }
        return meanings
    }()
}
