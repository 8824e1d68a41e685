# SPDX-License-Identifier: MIT
"""What a page has to offer to people who use a keyboard or a screen reader, or who see little contrast."""

# The roles that people operate, whose elements need a name (ARIA 1.2, section 5.2.8.4).
OPERATED = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "switch", "radio", "tab", "menuitem",
            "option", "slider", "grid", "listbox", "tree", "treeitem", "dialog", "img", "image", "progressbar"}

# Returns texts whose contrast is below 4.5 to 1, or 3 to 1 if they are large (WCAG 2.2, 1.4.3). Parts that
# are disabled, hidden or drawn over an image are left out.
CONTRAST = """
const parse = (text) => {
    // As rgb(), or from color-mix() as color(srgb …) with parts of 1.
    const [r, g, b, a = 1] = (text.match(/[\\d.]+(?:e-\\d+)?/g) ?? [0, 0, 0, 0]).map(Number);
    const unit = text.startsWith("color(") ? 255 : 1;
    return { r: r * unit, g: g * unit, b: b * unit, a };
};
const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a), a: 1,
});
const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const background = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.backgroundImage !== "none") return null;
        layers.push(parse(style.backgroundColor));
        if (layers.at(-1).a === 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
};
const found = [], seen = new Set();
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(element) || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    seen.add(element);
    if (element.closest("[disabled], [aria-disabled=true], [inert]")) continue;
    const style = getComputedStyle(element), below = background(element);
    if (!below || Number(style.opacity) === 0) continue;
    const front = over(parse(style.color), below);
    const [light, dark] = [luminance(front), luminance(below)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05), size = Number.parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < least - 0.01) {
        const name = element.localName + (element.className ? "." + String(element.className).split(" ").join(".") : "");
        found.push(`${name} ${JSON.stringify(texts.currentNode.data.trim().slice(0, 20))}: ${ratio.toFixed(2)}`);
    }
}
return found;
"""

# Returns what breaks the rules of grids, tab lists and ids.
STRUCTURE = """
const found = [];
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) found.push(`two elements have the id ${id}`);
for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-activedescendant"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
        for (const id of element.getAttribute(name).split(/\\s+/).filter(Boolean)) {
            const isClosed = name === "aria-controls" && element.getAttribute("aria-expanded") === "false";
            if (!document.getElementById(id) && !isClosed) found.push(`${name} of ${element.localName} names ${id}, which does not exist`);
        }
    }
}
for (const element of document.querySelectorAll("img:not([alt]), canvas:not([aria-label]):not([aria-hidden]):not([role])")) {
    found.push(`${element.localName} has no text alternative`);
}
for (const element of document.querySelectorAll("[role=row]")) {
    if (!element.closest("[role=grid], [role=table], [role=treegrid], [role=rowgroup]")) found.push("a row outside of a grid");
}
for (const element of document.querySelectorAll("[role=tab]")) {
    if (!element.closest("[role=tablist]")) found.push("a tab outside of a tab list");
}
for (const element of document.querySelectorAll("[tabindex]")) {
    if (element.tabIndex > 0) found.push(`${element.localName} has the tabindex ${element.tabIndex}`);
}
if (!document.documentElement.lang) found.push("the page has no language");
if (!document.title) found.push("the page has no title");
if (document.querySelectorAll("main").length !== 1) found.push(`${document.querySelectorAll("main").length} elements 'main'`);
return found;
"""


def unnamed(driver):
    """The elements that can be operated but have no name, by the browser's own accessibility tree."""
    nodes = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value", "")
        if not node["ignored"] and role in OPERATED and not node.get("name", {}).get("value", "").strip():
            part = driver.execute_cdp_cmd("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"]
            attributes = dict(zip(*[iter(part.get("attributes", []))] * 2))
            found.append(f"{role} without a name: {part['localName']} {attributes.get('class', attributes.get('id', ''))}")
    return found


def problems(driver):
    """What keeps people from using the page, as texts."""
    return unnamed(driver) + driver.execute_script(CONTRAST) + driver.execute_script(STRUCTURE)
