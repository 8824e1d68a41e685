// SPDX-License-Identifier: MIT
// @ts-check
// The commands that do in a terminal what the page does with a selection.

/**
 * A word for a POSIX shell; with control characters, for bash and zsh.
 * @param {string} word
 */
export function quoted(word) {
    if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
    if (!/[\x00-\x1f\x7f]/.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
    const escaped = word.replace(/[\\']/g, "\\$&").replace(/[\x00-\x1f\x7f]/g, (found) =>
        `\\x${found.charCodeAt(0).toString(16).padStart(2, "0")}`);
    return `$'${escaped}'`;
}

/** @param {string[]} words */
const line = (words) => words.map(quoted).join(" ");

/**
 * A path that is not an option.
 * @param {string} path
 */
const path = (path) => path.startsWith("-") ? `./${path}` : path;

/** @param {string} filter */
const narrowed = (filter) => filter ? ["--filter", filter] : [];

/**
 * @typedef {{filter: string, to: string, rate: string, speed: string, unsafe: boolean}} Replay
 */

/** @param {string[]} stores @param {Replay} replay */
export const replayCommand = (stores, { filter, to, rate, speed, unsafe }) =>
    line([
        "tapline",
        "replay",
        ...stores.map(path),
        "--to",
        to,
        ...narrowed(filter),
        ...(rate ? ["--rate", rate] : ["--speed", speed]),
        ...(unsafe ? ["--unsafe"] : []),
        "--compare",
    ]);

/** @param {string[]} stores @param {string} filter */
export const mockCommand = (stores, filter) =>
    line(["tapline", "mock", ...stores.map(path), ...narrowed(filter)]);

/** @param {string} store @param {string} filter */
export const diffCommand = (store, filter) =>
    line(["tapline", "diff", path(store), "other.db", ...narrowed(filter)]);

/**
 * Whether a URL leads to this machine, where anything may be sent to.
 * @param {string} url
 */
export function isHere(url) {
    try {
        return /^(.*\.)?localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(new URL(url).hostname);
    } catch {
        return false;
    }
}
