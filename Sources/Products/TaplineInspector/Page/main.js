// SPDX-License-Identifier: MIT
// @ts-check
// Signs in, opens the store, and connects the parts of the page.

import * as address from "./address.js";
import * as api from "./api.js";
import { app } from "./app.js";
import { h, replace } from "./dom.js";
import { Follow } from "./follow.js";
import { listen } from "./keys.js";
import { ListSource } from "./list-source.js";
import { Page } from "./page.js";
import { failureNotice, nothingNotice, refusedNotice, show, storeNotice } from "./states.js";
import { drawStatus, drawTop, drawUnfinished } from "./status.js";
import { screens } from "./screens.js";
import { TlDetail } from "./tl-detail.js";
import { TlFacets } from "./tl-facets.js";
import { TlList } from "./tl-list.js";
import { TlSearch } from "./tl-search.js";
import "./tl-timeline.js";

/** @template {Element} T @param {string} selector @param {new () => T} type @returns {T} */
function part(selector, type) {
    const found = document.querySelector(selector);
    if (!(found instanceof type)) throw new Error(`no ${selector}`);
    return found;
}

const main = part("#main", HTMLElement);
const listState = part("#list-state", HTMLElement);
const screen = part("#screen", HTMLElement);

async function signIn() {
    const found = address.token(location.hash);
    if (!found) return;
    history.replaceState(null, "", found.rest || "#/list");
    await api.signIn(found.token);
}

/** @param {ListSource} source */
function openList(source) {
    return source.open({ filter: app.filter, sort: app.state.sort });
}

/**
 * What stands in the place of rows.
 * @param {ListSource} source
 */
function drawListState(source) {
    const store = storeNotice(app.info);
    // What is shown stays while the server is away.
    const away = api.isGone(source.error) ||
        (source.error instanceof api.Failure && source.error.status === 401);
    const problem = source.error && !(away && source.total) ? failureNotice(source.error) : null;
    const none = !source.total && source.complete && !source.loading ? nothingNotice : null;
    const state = !store && problem
        ? String(source.error)
        : store
        ? `store ${app.info?.state}`
        : none
        ? `none ${JSON.stringify(source.query)}`
        : "";
    if (listState.dataset.state === state) return;
    listState.dataset.state = state;
    show(listState, store ?? problem ?? none?.() ?? null);
}

/** @param {Page} page @param {Set<string>} changed */
function follow(page, changed) {
    if (["filter", "from", "to", "sort"].some((name) => changed.has(name))) {
        page.list.moveSelection(-1);
        page.list.toTop();
        openList(page.source).then(() => {
            if (app.state.id) page.locate(app.state.id);
        });
        page.list.layout();
    }
    if (changed.has("columns")) page.list.layout();
    if (changed.has("id") && app.state.id && page.list.currentRow?.id !== app.state.id) {
        page.locate(app.state.id);
    }
    if (changed.has("screen")) drawScreen();
    document.title = [app.state.filter, app.info?.stores[0]?.path, "Tapline"].filter(Boolean).join(
        " – ",
    );
}

function drawScreen() {
    const name = app.state.screen;
    main.dataset.screen = name;
    screen.hidden = name === "list";
    replace(screen, screens[name]?.());
    if (name !== "list") screen.focus({ preventScroll: true });
}

/** @param {Page} page */
function connect(page) {
    const { source, list, follow: following } = page;
    const status = () => drawStatus(part("#status", HTMLElement), page);
    for (const target of [source, following]) target.addEventListener("change", status);
    for (const name of ["current", "moved"]) list.addEventListener(name, status);
    source.addEventListener("change", () => drawListState(source));
    source.addEventListener("failure", () => {
        drawListState(source);
        status();
    });
    app.on("state", (changed) => {
        follow(page, changed);
        drawTop(page);
        status();
    });
    app.on("connection", (connected) => {
        drawTop(page);
        status();
        // Another store, or one that was cut: positions of the former one mean nothing.
        if (connected && (app.info?.head ?? 0) < source.head) openList(source);
        else if (connected && source.error) source.adopt(source.head);
    });
    app.on("refused", () => {
        if (source.total) status();
        else show(listState, refusedNotice());
    });
    app.on("times", () => {
        list.redraw();
        status();
    });
    app.on("head", (head) => {
        if (head.changed?.length) source.changed(head.changed);
        if (app.info && app.info.state === "empty" && head.count) {
            app.loadInfo().then(() => openList(source)).catch(() => {});
        }
        drawUnfinished(part("#unfinished", HTMLElement), head.unfinished ?? []);
        status();
    });
    app.on("info", () => {
        drawTop(page);
        drawListState(source);
    });
    page.search.addEventListener("leave", () => list.grid.focus());
    const onSize = () => document.documentElement.style.setProperty("--page", `${innerHeight}px`);
    addEventListener("resize", onSize);
    onSize();
}

async function start() {
    app.start();
    const source = new ListSource();
    const list = part("tl-list", TlList);
    list.source = source;
    const page = new Page(
        source,
        list,
        part("tl-detail", TlDetail),
        part("tl-search", TlSearch),
        new Follow(source, list),
    );
    try {
        await signIn();
        app.start();
        page.search.show(app.state.filter);
        page.detail.follow();
        if (app.state.filter) {
            const { means } = /** @type {{means?: string}} */ (await api.get("check", {
                filter: app.state.filter,
            }).catch(() => ({})));
            if (means !== undefined) app.means.set(app.state.filter, means);
        }
        connect(page);
        listen(page);
        const rows = openList(source);
        await app.loadInfo();
        app.follow();
        await rows;
    } catch (error) {
        replace(part("#status", HTMLElement));
        show(listState, failureNotice(error));
        if (api.isGone(error)) setTimeout(() => location.reload(), 3000);
        return;
    }
    if (app.state.id) await page.locate(app.state.id);
    if (app.state.screen !== "list") drawScreen();
    document.title = [app.state.filter, app.info?.stores[0]?.path, "Tapline"].filter(Boolean).join(
        " – ",
    );
    if (!document.activeElement || document.activeElement === document.body) {
        list.grid.focus({ preventScroll: true });
    }
    const facets = part("tl-facets", TlFacets);
    const idle = window.requestIdleCallback ??
        ((/** @type {() => void} */ work) => setTimeout(work, 100));
    idle(() => {
        facets.load();
        facets.loadSaved();
    }, { timeout: 300 });
    document.addEventListener("visibilitychange", () => {
        if (!document.hidden) app.emit("head", app.head);
    });
}

start().catch((error) => show(listState, failureNotice(error)));
document.documentElement.append(h("template", { id: "ready" }));
