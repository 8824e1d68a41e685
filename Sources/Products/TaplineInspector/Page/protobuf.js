// SPDX-License-Identifier: MIT
// @ts-check
// Protocol buffers without their schema: numbers and kinds of fields, and what a value may mean.

/**
 * @typedef {{field: number,
 *     kind: "varint" | "64 bits" | "32 bits" | "text" | "bytes" | "message",
 *     value: string, fields?: Field[]}} Field
 */

const DEPTH = 20;
const MOST = 20_000;

class Malformed extends Error {}

/** @param {Uint8Array} bytes @param {{at: number}} place */
function varint(bytes, place) {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
        const byte = bytes[place.at];
        if (byte === undefined) throw new Malformed();
        place.at += 1;
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Malformed();
}

/** @param {bigint} value */
function varintText(value) {
    const signed = BigInt.asIntN(64, value);
    return signed < 0n ? `${signed}` : `${value}`;
}

/** @param {Uint8Array} bytes */
function text(bytes) {
    try {
        const found = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        // eslint-disable-next-line no-control-regex
        return /[\u0000-\u0008\u000e-\u001f\u007f]/.test(found) ? null : found;
    } catch {
        return null;
    }
}

/** @param {Uint8Array} bytes */
const hex = (bytes) =>
    Array.from(bytes.subarray(0, 64), (byte) => byte.toString(16).padStart(2, "0")).join(" ") +
    (bytes.length > 64 ? " …" : "");

/**
 * The fields of a message, or null if it is none.
 * @param {Uint8Array} bytes @returns {Field[] | null}
 */
export function decode(bytes, depth = 0) {
    const place = { at: 0 };
    /** @type {Field[]} */
    const fields = [];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
        while (place.at < bytes.length) {
            if (fields.length >= MOST) return null;
            const key = varint(bytes, place);
            const field = Number(key >> 3n);
            if (field === 0 || field > 0x1fffffff) return null;
            switch (Number(key & 7n)) {
                case 0:
                    fields.push({ field, kind: "varint", value: varintText(varint(bytes, place)) });
                    break;
                case 1:
                    fields.push({
                        field,
                        kind: "64 bits",
                        value: `${view.getBigUint64(place.at, true)} or ${
                            view.getFloat64(place.at, true)
                        }`,
                    });
                    place.at += 8;
                    break;
                case 5:
                    fields.push({
                        field,
                        kind: "32 bits",
                        value: `${view.getUint32(place.at, true)} or ${
                            view.getFloat32(place.at, true)
                        }`,
                    });
                    place.at += 4;
                    break;
                case 2: {
                    const length = Number(varint(bytes, place));
                    if (length > bytes.length - place.at) return null;
                    fields.push(
                        delimited(field, bytes.subarray(place.at, place.at + length), depth),
                    );
                    place.at += length;
                    break;
                }
                default:
                    return null;
            }
        }
    } catch {
        return null;
    }
    return fields;
}

/** @param {number} field @param {Uint8Array} bytes @param {number} depth @returns {Field} */
function delimited(field, bytes, depth) {
    const plain = text(bytes);
    const inner = bytes.length && depth < DEPTH ? decode(bytes, depth + 1) : null;
    // Short texts are often valid messages, too: readable text wins.
    if (plain !== null && (!inner || /^[\x20-\x7e\s]*$/.test(plain))) {
        return { field, kind: "text", value: plain };
    }
    if (inner) return { field, kind: "message", value: "", fields: inner };
    return plain !== null
        ? { field, kind: "text", value: plain }
        : { field, kind: "bytes", value: hex(bytes) };
}

/**
 * The messages of a gRPC body: each has a flag for compression and its length.
 * @param {Uint8Array} bytes
 */
export function frames(bytes) {
    const found = [];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + 5 <= bytes.length;) {
        const length = view.getUint32(at + 1);
        const flag = bytes[at] ?? 0;
        if (flag & 0x7e || length > bytes.length - at - 5) return null;
        found.push({
            compressed: (flag & 1) === 1,
            trailers: (flag & 0x80) !== 0,
            bytes: bytes.subarray(at + 5, at + 5 + length),
        });
        at += 5 + length;
    }
    return found.length ? found : null;
}
