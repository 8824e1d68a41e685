// SPDX-License-Identifier: MIT
// @ts-check

/**
 * @typedef {{headers: [string, string][], name: string, file: string, type: string,
 *     bytes: Uint8Array}} Part
 */

/** @param {string} type a Content-Type */
export function boundary(type) {
    const found = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(type);
    return found?.[1] ?? found?.[2] ?? "";
}

/** @param {Uint8Array} bytes @param {Uint8Array} wanted @param {number} from */
function indexOf(bytes, wanted, from) {
    const first = wanted[0] ?? 0;
    for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
        let same = 1;
        while (same < wanted.length && bytes[at + same] === wanted[same]) same += 1;
        if (same === wanted.length) return at;
    }
    return -1;
}

/**
 * The parts of a body (RFC 2046, section 5.1), or null if it has none.
 * @param {Uint8Array} bytes @param {string} type
 */
export function parts(bytes, type) {
    const mark = boundary(type);
    if (!mark) return null;
    const line = new TextEncoder().encode(`--${mark}`);
    const empty = new TextEncoder().encode("\r\n\r\n");
    /** @type {Part[]} */
    const found = [];
    let start = indexOf(bytes, line, 0);
    while (start >= 0 && found.length < 1000) {
        const head = start + line.length;
        if (bytes[head] === 0x2d && bytes[head + 1] === 0x2d) break;
        const next = indexOf(bytes, line, head);
        const end = next < 0 ? bytes.length : next - 2;
        const body = indexOf(bytes, empty, head);
        if (body < 0 || body > end) break;
        found.push(
            part(bytes.subarray(head + 2, body), bytes.subarray(body + 4, Math.max(body + 4, end))),
        );
        start = next;
    }
    return found.length ? found : null;
}

/** @param {Uint8Array} head @param {Uint8Array} bytes @returns {Part} */
function part(head, bytes) {
    const headers = new TextDecoder().decode(head).split("\r\n").filter(Boolean).map((line) => {
        const at = line.indexOf(":");
        return /** @type {[string, string]} */ ([
            line.slice(0, at).trim(),
            line.slice(at + 1).trim(),
        ]);
    });
    const value = (/** @type {string} */ name) =>
        headers.find(([other]) => other.toLowerCase() === name)?.[1] ?? "";
    const disposition = value("content-disposition");
    const parameter = (/** @type {string} */ name) =>
        new RegExp(`;\\s*${name}="((?:\\\\.|[^"])*)"`, "i").exec(disposition)?.[1] ?? "";
    return {
        headers,
        name: parameter("name"),
        file: parameter("filename"),
        type: value("content-type"),
        bytes,
    };
}
