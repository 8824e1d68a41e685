// SPDX-License-Identifier: MIT
// @ts-check
// The bytes of a shared file: base64, perhaps encrypted, of compressed sections.

const CHUNK = 1 << 20;

/**
 * @param {string} text @returns {Uint8Array}
 */
export function decoded(text) {
    const clean = text.trim();
    if (clean.length % 4) throw new Damaged();
    const padding = clean.endsWith("==") ? 2 : clean.endsWith("=") ? 1 : 0;
    const bytes = new Uint8Array(Math.max(0, clean.length / 4 * 3 - padding));
    let at = 0;
    for (let start = 0; start < clean.length; start += CHUNK) {
        let part;
        try {
            part = atob(clean.slice(start, start + CHUNK));
        } catch {
            throw new Damaged();
        }
        for (let index = 0; index < part.length; index += 1) bytes[at++] = part.charCodeAt(index);
    }
    return bytes;
}

/** The file was cut or changed. */
export class Damaged extends Error {
    constructor() {
        super("the file is damaged");
    }
}

/** The passphrase is another one, or the file was changed. */
export class WrongPassphrase extends Error {
    constructor() {
        super("the passphrase is wrong, or the file is damaged");
    }
}

/** @typedef {{salt: string, nonce: string, rounds: number}} Encryption */

/**
 * Decrypts what `tapline share --passphrase` wrote. The same letters have several forms in Unicode,
 * and another one may have been typed.
 * @param {Uint8Array} sealed @param {string} passphrase @param {Encryption} how
 */
export async function opened(sealed, passphrase, how) {
    const forms = [passphrase, passphrase.normalize("NFC"), passphrase.normalize("NFD")];
    for (const form of new Set(forms)) {
        const bytes = await decrypted(sealed, form, how);
        if (bytes) return bytes;
    }
    throw new WrongPassphrase();
}

/** @param {Uint8Array} sealed @param {string} passphrase @param {Encryption} how */
async function decrypted(sealed, passphrase, how) {
    const material = await crypto.subtle.importKey(
        "raw",
        new TextEncoder().encode(passphrase),
        "PBKDF2",
        false,
        ["deriveKey"],
    );
    const key = await crypto.subtle.deriveKey(
        { name: "PBKDF2", hash: "SHA-256", salt: decoded(how.salt), iterations: how.rounds },
        material,
        { name: "AES-GCM", length: 256 },
        false,
        ["decrypt"],
    );
    try {
        return new Uint8Array(
            await crypto.subtle.decrypt({ name: "AES-GCM", iv: decoded(how.nonce) }, key, sealed),
        );
    } catch {
        return null;
    }
}

/**
 * The compressed sections, each after its length in four bytes.
 * @param {Uint8Array} bytes
 */
export function sections(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const found = [];
    let at = 0;
    while (at < bytes.length) {
        if (at + 4 > bytes.length) throw new Damaged();
        const count = view.getUint32(at, true);
        if (at + 4 + count > bytes.length) throw new Damaged();
        found.push(bytes.subarray(at + 4, at + 4 + count));
        at += 4 + count;
    }
    return found;
}

/** @param {Uint8Array} section */
export async function text(section) {
    // TypeScript 4 does not know it.
    const { DecompressionStream } = /** @type {any} */ (globalThis);
    const stream = new Blob([section]).stream().pipeThrough(new DecompressionStream("gzip"));
    try {
        return await new Response(stream).text();
    } catch {
        throw new Damaged();
    }
}
