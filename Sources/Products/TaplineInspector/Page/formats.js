// SPDX-License-Identifier: MIT
// @ts-check
// Sizes, durations and times as the command line writes them.

/** @param {number} value */
const two = (value) => String(value).padStart(2, "0");

/**
 * `311 B`, `12.3 KiB`, `1023 KiB`, `1.0 MiB`; `-` if unknown.
 * @param {number | null | undefined} bytes
 */
export function size(bytes) {
    if (bytes === null || bytes === undefined || bytes < 0) return "-";
    if (bytes < 1024) return `${bytes} B`;
    let unit = 1024;
    for (const name of ["KiB", "MiB", "GiB", "TiB"]) {
        const whole = Math.floor(bytes / unit);
        if (whole < 1024) {
            const tenth = Math.floor((bytes % unit) * 10 / unit);
            return whole >= 100 ? `${whole} ${name}` : `${whole}.${tenth} ${name}`;
        }
        unit *= 1024;
    }
    return `${Math.floor(bytes / unit)} PiB`;
}

/**
 * `0.4 ms`, `15.5 ms`, `123 ms`, `1.20 s`, `2m03s`, `1h02m`; `-` if unknown.
 * @param {number | null | undefined} us
 */
export function duration(us) {
    if (us === null || us === undefined || us < 0) return "-";
    if (us < 100_000) return `${Math.floor(us / 1000)}.${Math.floor(us % 1000 / 100)} ms`;
    if (us < 1_000_000) return `${Math.floor(us / 1000)} ms`;
    if (us < 60_000_000) {
        return `${Math.floor(us / 1_000_000)}.${two(Math.floor(us / 10_000) % 100)} s`;
    }
    if (us < 3_600_000_000) {
        const seconds = Math.floor(us / 1_000_000);
        return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
    }
    const minutes = Math.floor(us / 60_000_000);
    return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
}

/**
 * `1,000,000`.
 * @param {number} value
 */
export function count(value) {
    return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * `1 exchange`, `2 exchanges`.
 * @param {number} value @param {string} one @param {string} [many]
 */
export function counted(value, one, many = one + "s") {
    return `${count(value)} ${value === 1 ? one : many}`;
}

/**
 * `3 selected exchanges`, `only 200 of 1,000 selected exchanges`.
 * @param {number} taken How many are used. @param {number} selected
 */
export const ofSelected = (taken, selected) =>
    (selected > taken ? `only ${count(taken)} of ` : "") +
    counted(Math.max(selected, taken), "selected exchange");

/**
 * `48 %`, `under 1 %`.
 * @param {number} value
 */
export function share(value) {
    if (value > 0 && value < 0.01) return "under 1 %";
    if (value < 1 && value > 0.99) return "over 99 %";
    return `${Math.round(value * 100)} %`;
}

/** @param {number} us @param {boolean} utc */
function parts(us, utc) {
    const date = new Date(Math.floor(us / 1000));
    const iso = utc ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
    const [day = "", clock = ""] = iso.toISOString().split("T");
    return {
        day,
        clock: clock.slice(0, 8),
        micros: String(((us % 1e6) + 1e6) % 1e6).padStart(6, "0"),
    };
}

/** `14:03:02`, with `.123` where `fraction` asks for it. */
export function clock(/** @type {number} */ us, utc = false, fraction = 0) {
    const { clock, micros } = parts(us, utc);
    return fraction ? `${clock}.${micros.slice(0, fraction)}` : clock;
}

/** `2026-11-20 14:03:02.123456 UTC`, or without `UTC` in local time. */
export function moment(/** @type {number} */ us, utc = false) {
    const { day, clock, micros } = parts(us, utc);
    return `${day} ${clock}.${micros}${utc ? " UTC" : ""}`;
}

/** `2026-11-20`. */
export function day(/** @type {number} */ us, utc = false) {
    return parts(us, utc).day;
}

/**
 * RFC 3339 text for filters.
 * @param {number} us
 */
export function rfc3339(us) {
    const { day, clock, micros } = parts(us, true);
    return `${day}T${clock}.${micros}Z`;
}

/**
 * `2xx` to `5xx`, or `failed`: the class that colours a row.
 * @param {{status?: number, state?: string}} row
 */
export function outcome(row) {
    if (row.state && row.state !== "completed") return "failed";
    return row.status ? `s${Math.floor(row.status / 100)}` : "";
}

/**
 * `12.5`, `1,204`: how many a second; `-` over less than a second, which says nothing.
 * @param {number} hits @param {number} seconds
 */
export function perSecond(hits, seconds) {
    if (seconds < 1) return "-";
    const rate = hits / seconds;
    return rate < 100 ? rate.toFixed(1) : count(rate);
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * The class that colours a method.
 * @param {string} method
 */
export function methodClass(method) {
    return METHODS.includes(method) ? `m-${method.toLowerCase()}` : "m-other";
}

/**
 * `json`, `html`, `png`: the short name of a media type.
 * @param {string | undefined} type
 */
export function shortType(type) {
    const essence = (type ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    const subtype = essence.split("/")[1] ?? essence;
    return subtype.replace(/^(x-|vnd\.)/, "").replace("javascript", "js")
        .replace("x-www-form-urlencoded", "form").replace("www-form-urlencoded", "form")
        .replace("svg+xml", "svg").replace("event-stream", "events").replace(
            "octet-stream",
            "bytes",
        );
}
