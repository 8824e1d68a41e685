// SPDX-License-Identifier: MIT
// @ts-check
// The head of the list: sorts, and changes widths.

import { app } from "./app.js";
import { choose, chosen, moved, setWidth, widthOf } from "./columns.js";
import { h } from "./dom.js";

/**
 * The next order of a column: ascending, descending, then newest first.
 * @param {string} sort @param {string} field
 */
export function nextSort(sort, field) {
    if (sort === `-${field}`) return field;
    if (sort === field) return "";
    return `-${field}`;
}

/** @param {import("./columns.js").Column} column */
function order(column) {
    if (!column.sort) return null;
    if (app.state.sort === column.sort) return "ascending";
    if (app.state.sort === `-${column.sort}`) return "descending";
    return column.sort === "started" && !app.state.sort ? "descending" : "none";
}

/**
 * @param {HTMLElement} row
 * @param {import("./columns.js").Column[]} columns
 * @param {{layout(): void}} list
 */
export function heads(row, columns, list) {
    row.textContent = "";
    columns.forEach((column, place) => {
        const sorted = order(column);
        const arrow = sorted === "ascending" ? " ↑" : sorted === "descending" ? " ↓" : "";
        const label = column.id === "mark"
            ? h("span", { class: "hidden" }, column.name)
            : column.name;
        const cell = h(
            "div",
            {
                role: "columnheader",
                class: `cell ${column.id}`,
                "data-column": column.id,
                "aria-sort": sorted,
                "aria-colindex": place + 1,
                "aria-label": column.name,
            },
            column.sort
                ? h(
                    "button",
                    {
                        type: "button",
                        tabindex: -1,
                        title: `sort by ${column.name.toLowerCase()}`,
                        onclick: () => app.go({ sort: nextSort(app.state.sort, column.sort) }),
                    },
                    label,
                    h("span", { "aria-hidden": "true" }, arrow),
                )
                : label,
        );
        if (column.width) cell.append(handle(column, list));
        draggable(cell, column.id);
        row.append(cell);
    });
}

/**
 * The place that a pointer chooses: before or after the head below it.
 * @param {HTMLElement} row @param {number} x
 */
function target(row, x) {
    for (const head of /** @type {HTMLElement[]} */ ([...row.children])) {
        const { left, width } = head.getBoundingClientRect();
        if (x >= left && x < left + width) return { head, after: x > left + width / 2 };
    }
    return null;
}

/**
 * A head that is dragged takes its column with it; the dialog of columns does the same by keys.
 * @param {HTMLElement} cell @param {string} id
 */
function draggable(cell, id) {
    cell.addEventListener("pointerdown", (event) => {
        const row = cell.parentElement;
        if (event.button !== 0 || !row || /** @type {Element} */ (event.target).closest(".edge")) {
            return;
        }
        const start = event.clientX;
        let isDragged = false;
        /** @type {ReturnType<typeof target>} */
        let place = null;
        const clear = () => {
            for (const head of row.children) head.removeAttribute("data-drop");
        };
        const move = (/** @type {PointerEvent} */ now) => {
            if (!isDragged && Math.abs(now.clientX - start) < 8) return;
            isDragged = true;
            cell.setPointerCapture(now.pointerId);
            cell.classList.add("dragged");
            clear();
            place = target(row, now.clientX);
            place?.head.setAttribute("data-drop", place.after ? "after" : "before");
        };
        const end = (/** @type {Event} */ now) => {
            removeEventListener("pointermove", move);
            removeEventListener("pointerup", end);
            removeEventListener("pointercancel", end);
            cell.classList.remove("dragged");
            clear();
            if (!isDragged) return;
            // The click that follows would sort.
            cell.addEventListener("click", (click) => click.stopPropagation(), {
                capture: true,
                once: true,
            });
            const other = place?.head.dataset.column;
            if (now.type === "pointercancel" || !other || other === id) return;
            const names = chosen(app.state.columns).map((column) => column.id);
            const rest = names.filter((name) => name !== id);
            const next = rest.indexOf(other) + (place?.after ? 1 : 0);
            setTimeout(() => choose(moved(names, id, next)));
        };
        addEventListener("pointermove", move);
        addEventListener("pointerup", end);
        addEventListener("pointercancel", end);
    });
}

/** @param {import("./columns.js").Column} column @param {{layout(): void}} list */
function handle(column, list) {
    const edge = h("span", { class: "edge", "aria-hidden": "true" });
    edge.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        edge.setPointerCapture(event.pointerId);
        const start = event.clientX;
        const width = widthOf(column);
        // Columns left of the path grow to the right, those right of it to the left.
        const left = Boolean(
            edge.closest(".row")?.querySelector(".path")?.compareDocumentPosition(edge) &&
                edge.getBoundingClientRect().left >
                    (edge.closest(".row")?.querySelector(".path")?.getBoundingClientRect().left ??
                        0),
        );
        const move = (/** @type {PointerEvent} */ now) => {
            setWidth(column.id, width + (left ? start - now.clientX : now.clientX - start));
            edge.closest(".grid")?.setAttribute("data-sizing", "");
        };
        edge.addEventListener("pointermove", move);
        edge.addEventListener("pointerup", () => {
            edge.removeEventListener("pointermove", move);
            edge.closest(".grid")?.removeAttribute("data-sizing");
            list.layout();
        }, { once: true });
    });
    edge.addEventListener("dblclick", () => {
        setWidth(column.id, column.width);
        list.layout();
    });
    return edge;
}
