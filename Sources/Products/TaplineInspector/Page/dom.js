// SPDX-License-Identifier: MIT
// @ts-check

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. Properties that start with `on` are listeners, `null` and `false` are left out,
 * `true` is an empty attribute. Text is never parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    append(element, children);
    return element;
}

/** @param {Element} parent @param {(Child | Child[])[]} children */
export function append(parent, children) {
    for (const child of children.flat()) {
        if (child === null || child === undefined || child === false) continue;
        parent.append(child instanceof Node ? child : String(child));
    }
}

/** @param {Element} parent @param {...(Child | Child[])} children */
export function replace(parent, ...children) {
    parent.textContent = "";
    append(parent, children);
}

/**
 * Replaces what is often drawn again: the control that has the focus keeps it, and nothing changes
 * while a button is held, for its click would be lost.
 * @param {HTMLElement} parent
 * @param {...(Child | Child[])} children
 */
export function refresh(parent, ...children) {
    const focus = document.activeElement;
    if (parent.matches(":active") && parent.firstChild) {
        // What is dragged sends no pointerup.
        const heard = new AbortController();
        for (const name of ["pointerup", "pointercancel", "dragend"]) {
            addEventListener(name, () => {
                heard.abort();
                setTimeout(() => {
                    if (!parent.matches(":active")) refresh(parent, ...children);
                });
            }, { signal: heard.signal });
        }
        return;
    }
    const key = (/** @type {Element} */ element) =>
        /** @type {HTMLElement} */ (element).dataset.key ?? element.textContent;
    const kept = focus && parent.contains(focus) ? key(focus) : null;
    replace(parent, ...children);
    if (kept === null) return;
    const next = [...parent.querySelectorAll("button, a, input")].find((element) =>
        key(element) === kept
    );
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/**
 * Content that scrolls sideways where there is no room, by keys, too.
 * @param {string} label
 * @param {Node} content
 */
export function sideways(label, content) {
    return h(
        "div",
        { class: "sideways", tabindex: 0, role: "region", "aria-label": label },
        content,
    );
}

/**
 * Returns a function that runs `work` once, `delay` milliseconds after its last call.
 * @template {any[]} A
 * @param {number} delay @param {(...values: A) => void} work
 */
export function debounce(delay, work) {
    let timer = 0;
    return (/** @type {A} */ ...values) => {
        clearTimeout(timer);
        timer = setTimeout(work, delay, ...values);
    };
}

/**
 * A button with a word on it.
 * @param {string} label @param {(event: MouseEvent) => void} action
 * @param {Record<string, any>} [properties]
 */
export function button(label, action, properties = {}) {
    return h("button", { type: "button", onclick: action, ...properties }, label);
}

/**
 * Focuses an element as soon as it is drawn, unless a key or a click comes first.
 * @param {string} selector
 */
export function focusOnceDrawn(selector) {
    const focus = () => {
        const found = document.querySelector(selector);
        if (!(found instanceof HTMLElement)) return;
        end();
        found.focus();
    };
    const observer = new MutationObserver(focus);
    const end = () => {
        observer.disconnect();
        for (const type of ["keydown", "pointerdown"]) removeEventListener(type, end, true);
    };
    observer.observe(document.body, { childList: true, subtree: true });
    for (const type of ["keydown", "pointerdown"]) addEventListener(type, end, true);
    focus();
}

let announcer = /** @type {HTMLElement | null} */ (null);

/**
 * Tells screen readers, and shows for three seconds, what an action has done.
 * @param {string} text
 */
export function announce(text) {
    announcer ??= document.querySelector("#announcer");
    if (!announcer) return;
    const shown = announcer;
    shown.textContent = text;
    shown.classList.add("shown");
    clearTimeout(Number(shown.dataset.timer));
    shown.dataset.timer = String(setTimeout(() => {
        shown.classList.remove("shown");
        shown.textContent = "";
    }, 3000));
}

/** @param {string} text @param {string} [what] */
export async function copy(text, what = "copied") {
    try {
        await navigator.clipboard.writeText(text);
        announce(what);
    } catch {
        announce("the browser does not allow copying");
    }
}

/**
 * Saves bytes as a file.
 * @param {Blob} blob @param {string} name
 */
export function save(blob, name) {
    const url = URL.createObjectURL(blob);
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Listens, and repeats some work, until the element is out of the page.
 * @param {Element} box
 * @param {[EventTarget, string, (event: any) => void][]} heard
 * @param {number} delay in milliseconds
 * @param {() => void} often
 * @param {() => void} [left]
 */
export function whileShown(box, heard, delay, often, left) {
    const all = heard.map(([target, name, work]) => {
        const listener = (/** @type {Event} */ event) => {
            if (box.isConnected) work(event);
        };
        target.addEventListener(name, listener);
        return /** @type {const} */ ([target, name, listener]);
    });
    const timer = setInterval(() => {
        if (box.isConnected) {
            often();
            return;
        }
        clearInterval(timer);
        for (const [target, name, listener] of all) target.removeEventListener(name, listener);
        left?.();
    }, delay);
}
