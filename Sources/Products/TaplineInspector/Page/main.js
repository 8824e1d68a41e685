// SPDX-License-Identifier: MIT
// @ts-check
// Connects the parts of the page, once the first rows are shown.

import * as api from "./api.js";
import { app } from "./app.js";
import { debounce, h, replace } from "./dom.js";
import { Follow } from "./follow.js";
import { listen } from "./keys.js";
import { Page } from "./page.js";
import { readsAnnotations } from "./filters.js";
import { failureNotice, nothingNotice, refusedNotice, show, storeNotice } from "./states.js";
import { drawStatus, drawTop } from "./status.js";
import { existing, screens } from "./screens.js";
import { list, openList, part, source, started } from "./start.js";
import { TlDetail } from "./tl-detail.js";
import { TlFacets } from "./tl-facets.js";
import { TlSearch } from "./tl-search.js";
import "./tl-timeline.js";
import { showUnfinished } from "./unfinished.js";

const main = part("#main", HTMLElement);
const listState = part("#list-state", HTMLElement);
const screen = part("#screen", HTMLElement);
/** States of stores in which lists can be asked for. */
const READABLE = ["ok", "empty"];

/** What stands in the place of rows. */
function drawListState() {
    // What is shown stays while the server is away.
    const away = api.isPassing(source.error) || api.isRefused(source.error);
    const busy = ["busy", "locked"].includes(app.info?.state ?? "") && source.total;
    const started = app.info?.state === "empty" && list.lead.length;
    const store = busy || started ? null : storeNotice(app.info);
    const problem = source.error && !(away && source.total) ? failureNotice(source.error) : null;
    const isEmpty = !source.total && !list.lead.length && source.complete && !source.loading;
    const none = isEmpty ? nothingNotice : null;
    const state = !store && problem
        ? `${source.error} ${app.refused}`
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
    const isNarrowed = ["filter", "from", "to"].some((name) => changed.has(name));
    if (isNarrowed || changed.has("sort")) {
        // The server looks for the rows while the page is drawn.
        const opened = openList();
        page.list.moveSelection(-1);
        page.list.toTop();
        opened.then(() => {
            if (app.state.id) page.locate(app.state.id);
        });
        page.list.layout();
    }
    if (changed.has("columns")) page.list.layout();
    if (changed.has("id") && app.state.id && page.list.currentRow?.id !== app.state.id) {
        page.locate(app.state.id);
    }
    if (changed.has("screen")) drawScreen();
    else if (COUNTING.includes(app.state.screen) && isNarrowed) drawScreen(false);
    document.title = [app.state.filter, app.info?.stores[0]?.path, "Tapline"].filter(Boolean).join(
        " – ",
    );
}

/** Screens that count what the filter chooses. */
const COUNTING = ["apis", "differs", "summary"];

async function drawScreen(isOpened = true) {
    const name = existing(app.state.screen);
    if (name !== app.state.screen) {
        app.go({ screen: name }, true);
        return;
    }
    main.dataset.screen = name;
    screen.hidden = name === "list";
    if (isOpened) replace(screen);
    if (isOpened && name !== "list") screen.focus({ preventScroll: true });
    const content = await (async () => screens[name]?.())().catch(failureNotice);
    if (name === app.state.screen) replace(screen, content);
}

/**
 * Keeps the selected exchange while its list is made again.
 * @param {Page} page @param {() => Promise<void>} work
 */
async function keepingRow(page, work) {
    const id = page.list.currentRow?.id;
    await work();
    if (id) await page.locate(id);
}

/**
 * Goes on after the server or the store was away.
 * @param {Page} page
 */
function recover(page) {
    // Notes and marks change the rows of some filters.
    const again = debounce(300, () => {
        keepingRow(page, () => source.adopt(source.head));
    });
    app.on("head", (head) => {
        if (!head.changed?.length) return;
        source.changed(head.changed);
        if (readsAnnotations(app.filter)) again();
    });
    source.addEventListener("change", () => {
        app.stopped = source.cancelled;
        if (app.info && !READABLE.includes(app.info.state)) app.loadInfo().catch(() => {});
    });
    app.on("info", () => {
        if (READABLE.includes(app.info?.state ?? "")) source.retry();
    });
    app.on("resumed", () => {
        source.retry();
        source.refresh();
        app.emit("reload");
        if (app.state.id && list.current < 0) page.locate(app.state.id);
        if (app.state.screen !== "list" && screen.querySelector(".notice")) drawScreen();
    });
    app.on("retry", () => {
        app.reconnect();
        source.retry();
    });
    app.on("replaced", () => {
        list.moveSelection(-1);
        list.toTop();
        source.reset();
        openList();
        drawScreen();
    });
    app.on("refused", () => {
        if (!source.total) show(listState, refusedNotice());
    });
}

/** @param {Page} page */
function connect(page) {
    recover(page);
    const { follow: following } = page;
    showUnfinished(list, following);
    list.addEventListener("lead", () => drawListState());
    const status = () => drawStatus(part("#status", HTMLElement), page);
    for (const target of [source, following]) target.addEventListener("change", status);
    for (const name of ["current", "moved"]) list.addEventListener(name, status);
    source.addEventListener("change", () => drawListState());
    source.addEventListener("failure", () => {
        drawListState();
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
        if (connected) source.retry();
    });
    app.on("refused", () => {
        drawTop(page);
        status();
    });
    app.on("times", () => {
        list.redraw();
        status();
    });
    app.on("head", (head) => {
        if (app.info && app.info.state !== "ok" && head.count) {
            app.loadInfo().then(() => openList()).catch(() => {});
        }
        status();
    });
    app.on("waiting", () => drawTop(page));
    app.on("info", () => {
        drawTop(page);
        drawListState();
        status();
    });
    page.search.addEventListener("leave", () => list.grid.focus());
    const onSize = () => document.documentElement.style.setProperty("--page", `${innerHeight}px`);
    addEventListener("resize", onSize);
    onSize();
}

async function open() {
    const page = new Page(
        source,
        list,
        part("tl-detail", TlDetail),
        part("tl-search", TlSearch),
        new Follow(source, list),
    );
    app.on("connection", () => {
        if (!app.connected) drawListState();
    });
    const { rows, info } = await started;
    page.search.show(app.state.filter);
    page.detail.follow();
    connect(page);
    listen(page);
    document.documentElement.append(h("template", { id: "ready" }));
    drawListState();
    await info;
    app.follow();
    drawTop(page);
    await rows;
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
        page.detail.prepare().catch(() => {});
    }, { timeout: 300 });
    document.addEventListener("visibilitychange", () => {
        if (!document.hidden) app.emit("head", app.head);
    });
}

open().catch((error) => show(listState, failureNotice(error)));
