// SPDX-License-Identifier: MIT
// What the server sends. Times and durations are microseconds, sizes bytes; absent: unknown.

export interface Row {
    seq: number; id: string; at: number; method: string; status?: number; state?: string; error?: string;
    scheme?: string; host?: string; port?: number; path?: string; type?: string; up?: number; down?: number;
    us?: number; client?: string; tags?: Record<string, string>; mark?: string; notes?: number;
    source?: string; star?: boolean; gone?: boolean; timing?: (number | null)[]; masked?: boolean; changed?: boolean;
    /** Of a row that no exchange has yet: `in progress` or `ended`. */
    live?: string;
}
export interface Rows {
    view: string; head: number; total: number; complete: boolean; progress: number; from: number;
    rows: Row[]; cancelled?: boolean;
}
export interface Info {
    version: string; stores: { path: string; kind: string; bytes: number; writable: boolean }[];
    mode: string; state: string; message?: string; help?: string; count: number; head: number;
    first?: number; last?: number; unfinished?: number; redaction?: string; differences?: boolean;
    can: { annotate: boolean; resend: boolean; actions: boolean; rules: boolean; pause: boolean }; exports: string[];
}
export interface Active {
    id: string; source?: string; started: number; method?: string; scheme?: string; host?: string; port?: number;
}
/** Whether the stores can be read, as they change. */
export interface StoreState { state: string; message?: string; help?: string }
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
    provenance?: Step[]; [name: string]: unknown;
}
export interface StepChange {
    part: string; name?: string; kind: string; count?: number; before?: number; after?: number;
}
export interface Step {
    stage: string; hook?: string; verdict?: string; decision?: string; skipped?: string; failed?: boolean;
    calls?: number; at_ms?: number; took_ms?: number; delay_ms?: number; waited_ms?: number; changes?: StepChange[];
    details?: { name: string; value: string }[];
}
export interface Note { id: string; text: string; author?: string; mark?: string; at: number }
export interface Detail {
    row: Row; record: Exchange; notes?: Note[]; group?: { key: string; count: number }; route?: string;
    previous?: string; next?: string; messages?: number; sizes?: { request?: Sizes; response?: Sizes };
    replays?: string[]; replay_of?: string;
}
export interface Sizes { wire?: number; decoded?: number; kept?: number; truncated?: boolean }
export interface Sent {
    dir: "up" | "down"; at_us: number; type: string; text?: string; base64?: string; size?: number;
    view?: object;
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
export interface Problem {
    line: number; column: number; from: number; to: number; severity: "error" | "warning"; message: string; help?: string;
}
export interface Rule {
    name?: string; enabled: boolean; when?: string; summary: string; hits?: number; from: number; to: number; reads?: string[];
}
export interface RuleFile {
    id: string; path: string; version: string; text: string; writable: boolean; problems: Problem[]; rules: Rule[];
}
export interface Change { at: string; before?: string; after?: string }
export interface Tried { id: string; row: Row; changes: Change[]; verdict?: string }
export interface TriedRule { index: number; name?: string; hits: number; first?: Tried; examples?: Tried[] }
export interface Trial { seen: number; total?: number; complete: boolean; key?: string; rules: TriedRule[] }
export interface Content { text?: string; base64?: string }
export interface Draft {
    method: string; url: string; headers: [string, string][]; body?: Content | null;
    missing: { at: string; reason: string }[];
}
export interface Waiting {
    id: string; at: number; until: number; hook: "request" | "response"; rule?: string; method?: string; scheme?: string;
    host?: string; path?: string;
}
export interface Paused {
    id: string; at: number; until: number; hook: "request" | "response"; rule?: string; hidden?: boolean; record: Exchange;
}
export interface Problem { at: string; message: string }
export interface Run {
    id: number; kind: "replay" | "mock"; filter: string; to?: string; at: number; running: boolean; failure?: string;
    url?: string; lines: string[]; pairs?: number; differing?: number;
}
export interface DifferingPart {
    path: string; kind: string; count: number;
    examples: { recorded_id: string; id: string; target: string; place: string; recorded: string; found: string }[];
}
export interface DifferingRoute {
    method: string; route: string; pairs: number; differing: number; parts: DifferingPart[]; more_parts?: number;
}
export interface Differences { pairs: number; differing: number; routes: DifferingRoute[] }
export interface Delta { at: string; value?: string; add?: boolean; remove?: boolean }

declare global {
    /** Of the Fetch standard; newer than Debian's TypeScript. */
    interface RequestInit { priority?: "high" | "low" | "auto" }
}
