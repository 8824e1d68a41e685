// SPDX-License-Identifier: MIT

// Matching by backtracking. It recurses for each node that has a choice, so its depth is bounded by
// the number of these nodes in the pattern, not by the length of the text.

#include "pattern.h"

enum { MAX_NESTING = 200, CHARGED_STEPS = 512 };

static void count_steps(matcher *state, uint64_t steps) {
    state->steps += steps;
    if (state->steps < CHARGED_STEPS) return;
    uint64_t sum = state->steps;
    state->steps = 0;
    charge(state->L, sum);
}

static inline bool single_matches(const matcher *state, const node *single, uint8_t byte) {
    switch (single->kind) {
    case NODE_BYTE: return byte == single->first;
    case NODE_ANY: return true;
    default: return set_holds(&state->pattern->sets[single->set], byte);
    }
}

static const uint8_t *match_nodes(matcher *state, const uint8_t *position, const node *next);

static const uint8_t *match_greedy(
    matcher *state, const uint8_t *position, const node *single, ptrdiff_t least) {
    ptrdiff_t count = 0;
    while (position + count < state->end && single_matches(state, single, position[count])) count++;
    count_steps(state, (uint64_t)count);
    if (single[1].kind == NODE_DONE) return count >= least ? position + count : NULL;
    for (; count >= least; count--) {
        const uint8_t *end = match_nodes(state, position + count, single + 1);
        if (end != NULL) return end;
    }
    return NULL;
}

static const uint8_t *match_lazy(matcher *state, const uint8_t *position, const node *single) {
    for (;;) {
        const uint8_t *end = match_nodes(state, position, single + 1);
        if (end != NULL) return end;
        if (position >= state->end || !single_matches(state, single, *position)) return NULL;
        position++;
    }
}

static const uint8_t *match_quantified(
    matcher *state, const uint8_t *position, const node *single) {
    switch (single->quantifier) {
    case '*': return match_greedy(state, position, single, 0);
    case '+': return match_greedy(state, position, single, 1);
    case '-': return match_lazy(state, position, single);
    default: break;
    }
    if (position < state->end && single_matches(state, single, *position)) {
        const uint8_t *end = match_nodes(state, position + 1, single + 1);
        if (end != NULL) return end;
    }
    return match_nodes(state, position, single + 1);
}

/// Opens, closes or sets a capture; restores it if the rest does not match.
static const uint8_t *match_capture(matcher *state, const uint8_t *position, const node *each) {
    capture *place = &state->captures[each->first];
    capture before = *place;
    switch (each->kind) {
    case NODE_OPEN: *place = (capture){position, NULL, false}; break;
    case NODE_POSITION: *place = (capture){position, NULL, true}; break;
    default: place->end = position; break;
    }
    const uint8_t *end = match_nodes(state, position, each + 1);
    if (end == NULL) *place = before;
    return end;
}

static const uint8_t *match_balance(matcher *state, const uint8_t *position, const node *each) {
    if (position >= state->end || *position != each->first) return NULL;
    size_t open = 1;
    const uint8_t *next = position + 1;
    for (; next < state->end; next++) {
        if (*next == each->second) {
            if (--open == 0) break;
        } else if (*next == each->first) {
            open++;
        }
    }
    count_steps(state, (uint64_t)(next - position));
    return next < state->end ? next + 1 : NULL;
}

static bool at_frontier(const matcher *state, const uint8_t *position, const node *each) {
    const byte_set *set = &state->pattern->sets[each->set];
    uint8_t before = position == state->start ? 0 : position[-1];
    uint8_t after = position == state->end ? 0 : *position;
    return !set_holds(set, before) && set_holds(set, after);
}

static const uint8_t *match_back(matcher *state, const uint8_t *position, const node *each) {
    const capture *same = &state->captures[each->first];
    if (same->position) luaL_error(state->L, "invalid capture index in pattern");
    size_t count = (size_t)(same->end - same->start);
    count_steps(state, count / 8);
    if ((size_t)(state->end - position) < count) return NULL;
    return memcmp(position, same->start, count) == 0 ? position + count : NULL;
}

static const uint8_t *match_here(matcher *state, const uint8_t *position, const node *next) {
    for (;; next++) {
        count_steps(state, 1);
        switch (next->kind) {
        case NODE_DONE: return position;
        case NODE_OPEN:
        case NODE_POSITION:
        case NODE_CLOSE: return match_capture(state, position, next);
        case NODE_END:
            if (position != state->end) return NULL;
            break;
        case NODE_FRONTIER:
            if (!at_frontier(state, position, next)) return NULL;
            break;
        case NODE_BALANCE:
            position = match_balance(state, position, next);
            if (position == NULL) return NULL;
            break;
        case NODE_BACK:
            position = match_back(state, position, next);
            if (position == NULL) return NULL;
            break;
        default:
            if (next->quantifier != 0) return match_quantified(state, position, next);
            if (position >= state->end || !single_matches(state, next, *position)) return NULL;
            position++;
        }
    }
}

static const uint8_t *match_nodes(matcher *state, const uint8_t *position, const node *next) {
    if (state->depth >= MAX_NESTING) luaL_error(state->L, "pattern is too complex");
    state->depth++;
    const uint8_t *end = match_here(state, position, next);
    state->depth--;
    return end;
}

const uint8_t *tapline_lua_pattern_match(matcher *state, const uint8_t *position) {
    state->depth = 0;
    return match_nodes(state, position, state->pattern->nodes);
}
