// SPDX-License-Identifier: MIT
// @ts-check
// Signs in and opens the list. It runs as soon as the modules of the list are there; the rest of
// the page runs once the first rows are painted.

import * as address from "./address.js";
import * as api from "./api.js";
import { app } from "./app.js";
import { whenSignedIn } from "./early.js";
import { ListSource } from "./list-source.js";
import { TlList } from "./tl-list.js";

/** @template {Element} T @param {string} selector @param {new () => T} type @returns {T} */
export function part(selector, type) {
    const found = document.querySelector(selector);
    if (!(found instanceof type)) throw new Error(`no ${selector}`);
    return found;
}

export const source = new ListSource();
export const list = part("tl-list", TlList);

async function signIn() {
    const found = address.token(location.hash);
    if (!found) return;
    history.replaceState(null, "", found.rest || "#/list");
    if (await whenSignedIn()) return;
    for (let wait = 500;; wait = Math.min(wait * 2, 8000)) {
        try {
            await api.signIn(found.token);
            return;
        } catch (error) {
            // The cookie of a former visit may still be good.
            app.expired = api.isRefused(error);
            if (!api.isPassing(error)) return;
            app.setConnected(!api.isGone(error));
            await new Promise((done) => setTimeout(done, wait));
        }
    }
}

export function openList() {
    return source.open({ filter: app.filter, sort: app.state.sort });
}

async function start() {
    list.source = source;
    app.settled = (signal) => source.settled(signal);
    await signIn();
    app.start();
    const { filter } = app.state;
    if (filter) {
        const { means } = /** @type {{means?: string}} */ (await api.get("check", { filter })
            .catch(() => ({})));
        if (means !== undefined) app.means.set(filter, means);
    }
    const info = app.loadInfo().catch((error) => {
        // Nothing was edited yet that could be lost.
        if (api.isRefused(error) && api.takesPassword()) api.logIn();
    });
    return { rows: openList(), info };
}

/** Both are under way when it is done; failures are told by `source` and `app`. */
export const started = start();

/** The longest time that the rest of the page waits for rows, in milliseconds. */
const PATIENCE = 300;

/** Waits until the first rows are on the screen, or it takes long to find out. */
function shown() {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    // When the second frame begins, the first one was painted.
    const painted = started.then(({ rows }) => rows).then(frame).then(frame);
    return Promise.race([painted, new Promise((done) => setTimeout(done, PATIENCE))]);
}

/** Loads what index.html names in `rest`: the styles are there before something needs them. */
async function loadRest() {
    const { content } = part("#rest", HTMLTemplateElement);
    const styles = [...content.querySelectorAll("[rel=stylesheet]")].map((link) =>
        new Promise((done) => {
            for (const end of ["load", "error"]) link.addEventListener(end, done);
        })
    );
    document.head.append(content);
    await Promise.all(styles);
    await import("./main.js");
}

shown().then(() => setTimeout(loadRest));
