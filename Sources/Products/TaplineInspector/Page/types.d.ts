// SPDX-License-Identifier: MIT
// What the server sends. Times and durations are microseconds, sizes bytes; absent: unknown.

export interface Row {
    seq: number; id: string; at: number; method: string; status?: number; state?: string; error?: string;
    scheme?: string; host?: string; port?: number; path?: string; type?: string; up?: number; down?: number;
    us?: number; client?: string; tags?: Record<string, string>; mark?: string; notes?: number;
    source?: string; star?: boolean; gone?: boolean; timing?: (number | null)[]; masked?: boolean; changed?: boolean;
}
export interface Rows {
    view: string; head: number; total: number; complete: boolean; progress: number; from: number;
    rows: Row[]; cancelled?: boolean;
}
export interface Info {
    version: string; stores: { path: string; kind: string; bytes: number; writable: boolean }[];
    mode: string; state: string; message?: string; help?: string; count: number; head: number;
    first?: number; last?: number; unfinished?: number; redaction?: string;
    can: { annotate: boolean; resend: boolean; rules: boolean; pause: boolean }; exports: string[];
}
export interface Active {
    id: string; source?: string; started: number; method?: string; scheme?: string; host?: string; port?: number;
}
export interface Head { head: number; count: number; last?: number; unfinished?: Active[]; changed?: string[] }
export type Text = string | { base64: string };
export interface Body {
    text?: string; size?: number; kept?: number; truncated?: boolean; coding?: string; decoded_size?: number;
    sha256?: string;
}
export interface Message {
    method?: string; url?: Text; target?: Text; status?: number; reason?: string; version?: string;
    headers?: [Text, Text][]; trailers?: [Text, Text][]; body?: Body | null; interim?: Message[];
}
export interface TLS { version?: string; cipher?: string; sni?: string; alpn?: string; [name: string]: unknown }
export interface Bytes { line?: number; headers?: number; body?: number }
export interface Exchange {
    id: string; source?: string; state?: string; started?: string; client?: string; server?: string;
    timing?: Record<string, number>; connection?: { reused?: boolean; [name: string]: unknown };
    tls?: TLS; server_tls?: TLS; request: Message; response?: Message;
    bytes?: { up?: Bytes; down?: Bytes; exact?: boolean }; original?: Record<string, unknown>;
    tags?: Record<string, string>; error?: { code: string; message?: string };
    [name: string]: unknown;
}
export interface Note { id: string; text: string; author?: string; mark?: string; at: number }
export interface Detail {
    row: Row; record: Exchange; notes?: Note[]; group?: { key: string; count: number }; route?: string;
    previous?: string; next?: string; messages?: number; sizes?: { request?: Sizes; response?: Sizes };
}
export interface Sizes { wire?: number; decoded?: number; kept?: number; truncated?: boolean }
export interface Sent {
    dir: "up" | "down"; at_us: number; type: string; text?: string; base64?: string; size?: number;
}
export interface Facet { field: string; values: { value: string | null; count: number }[]; distinct: number; more?: boolean }
export interface Timeline { from: number; to: number; step: number; buckets: [number, number, number][]; complete?: boolean }
export interface Api {
    host: string; route: string; methods: Record<string, number>; statuses: Record<string, number>;
    count: number; errors: number; p50?: number; p95?: number; p99?: number; up: number; down: number;
    last: number; spark?: number[];
}
export interface Separation {
    field: string; value: string; chosen: number; rest: number; share_chosen: number; share_rest: number;
}
export interface Completion { from: number; to: number; items: { text: string; kind: string; detail?: string }[] }
