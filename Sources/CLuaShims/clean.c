// SPDX-License-Identifier: MIT

// Messages without anything that a script computed. Lua puts values in some of its messages: names of
// types, which a script chooses with `__name`, options and formats. A message is read by its known
// forms; in others, quoted words stay only if they are words of ours or of Lua, or names in the text
// of the script.

#include "internal.h"

void tapline_lua_text_append(text *output, const void *start, size_t count) {
    size_t room = sizeof output->bytes - output->count;
    if (count > room) count = room;
    if (count == 0) return;
    memcpy(output->bytes + output->count, start, count);
    output->count += count;
}

void tapline_lua_text_append_string(text *output, const char *string) {
    tapline_lua_text_append(output, string, strlen(string));
}

static bytes bytes_of(const char *text) { return (bytes){(const uint8_t *)text, strlen(text)}; }

/// Takes a word off the front; returns false, and takes nothing, if it is not there.
static bool take(bytes *rest, const char *word) {
    size_t count = strlen(word);
    if (rest->count < count || memcmp(rest->bytes, word, count) != 0) return false;
    rest->bytes += count;
    rest->count -= count;
    return true;
}

/// Takes the first of some words that stands there; NULL for none.
static const char *take_one(bytes *rest, const char *const *words) {
    for (; *words != NULL; words++) {
        if (take(rest, *words)) return *words;
    }
    return NULL;
}

/// The names of types. A script could give a type one of these names, which says nothing.
static const char *take_type(bytes *rest) {
    static const char *const types[] = {
        "nil", "boolean", "number", "string", "table", "function", "light userdata", "userdata",
        "thread", "no value", NULL};
    return take_one(rest, types);
}

static size_t find(bytes text, const char *word) {
    size_t count = strlen(word);
    for (size_t index = 0; index + count <= text.count; index++) {
        if (memcmp(text.bytes + index, word, count) == 0) return index;
    }
    return text.count;
}

// MARK: - Quoted words

/// Words that Lua itself puts in quotes, and those of our messages that no other word announces.
static bool is_own_word(bytes word) {
    static const char *const words[] = {
        "for", "n//0", "n%0", "n%%0", "?", "nil", "boolean", "number", "string", "table",
        "function", "userdata", "thread", "max_memory", "max_table", "max_buffer",
        "capture_max_bytes", "shared_max_bytes", "truncated", "messages", "Accept", "Name", "name",
        "value", "count", "for iterator", "__tostring", "[", "]", "%", "%b", "%f", "_", "-",
        "ex", "__index", "__newindex", "%q", "z", "c",
    };
    for (size_t index = 0; index < sizeof words / sizeof *words; index++) {
        if (bytes_equal(word, bytes_of(words[index]))) return true;
    }
    return false;
}

static bool ends_with(bytes text, const char *ending) {
    size_t count = strlen(ending);
    return text.count >= count && memcmp(text.bytes + text.count - count, ending, count) == 0;
}

/// Whether the text before a quote says that a word of ours follows.
static bool announces_own_word(bytes before) {
    static const char *const heralds[] = {
        "field ", " to ", "function ", "in table for ", "hook ", "mean ", "set ", "of ", "write ",
        "with ", "as ", "expected "};
    if (ends_with(before, "(field ")) return false;
    for (size_t index = 0; index < sizeof heralds / sizeof *heralds; index++) {
        if (ends_with(before, heralds[index])) return true;
    }
    return false;
}

/// Whether the text before a quote says that a name follows, which may be a string of the script.
static bool announces_name(bytes before) {
    static const char *const heralds[] = {
        "(field ", "(local ", "(global ", "(upvalue ", "(method ", "variable "};
    for (size_t index = 0; index < sizeof heralds / sizeof *heralds; index++) {
        if (ends_with(before, heralds[index])) return true;
    }
    return false;
}

/// Whether a word may be one of our messages: our words are short and have few signs.
static bool is_plain_word(bytes word) {
    static const char signs[] = "_.:? ()[]{}=\"/";
    if (word.count > 64) return false;
    for (size_t index = 0; index < word.count; index++) {
        uint8_t byte = word.bytes[index];
        bool fits = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
            (byte >= '0' && byte <= '9') || (byte != 0 && strchr(signs, byte) != NULL);
        if (!fits) return false;
    }
    return true;
}

static bool may_be_shown(const vm *lua, bytes before, bytes word) {
    if (is_own_word(word)) return true;
    if (announces_name(before)) return tapline_lua_words_have(lua, word);
    return announces_own_word(before) && is_plain_word(word);
}

static bool is_letter(uint8_t byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; }

/// Copies a message up to the first quoted word that may be a value. A value may itself hold quotes,
/// so what follows it is not known. A quote within a word is an apostrophe.
static void append_quoted(const vm *lua, text *output, bytes message) {
    size_t index = 0;
    while (index < message.count) {
        uint8_t quote = message.bytes[index];
        bool is_quote = quote == '"' || quote == '\'';
        if (!is_quote || (index > 0 && is_letter(message.bytes[index - 1]))) {
            tapline_lua_text_append(output, &quote, 1);
            index++;
            continue;
        }
        size_t end = index + 1;
        while (end < message.count && message.bytes[end] != quote) end++;
        bytes word = {message.bytes + index + 1, end - index - 1};
        if (end == message.count || !may_be_shown(lua, (bytes){message.bytes, index}, word)) {
            tapline_lua_text_append_string(output, "'…'");
            return;
        }
        tapline_lua_text_append(output, message.bytes + index, end + 1 - index);
        index = end + 1;
    }
}

// MARK: - Known forms

/// `compare two table values`, `compare number with string`.
static void append_comparison(text *output, bytes rest) {
    const char *left, *right;
    bytes pair = rest;
    if (take(&rest, "two ") && (left = take_type(&rest)) != NULL && take(&rest, " values") &&
        rest.count == 0) {
        tapline_lua_text_append_string(output, "two ");
        tapline_lua_text_append_string(output, left);
        tapline_lua_text_append_string(output, " values");
    } else if (
        (left = take_type(&pair)) != NULL && take(&pair, " with ") &&
        (right = take_type(&pair)) != NULL && pair.count == 0) {
        tapline_lua_text_append_string(output, left);
        tapline_lua_text_append_string(output, " with ");
        tapline_lua_text_append_string(output, right);
    } else {
        tapline_lua_text_append_string(output, "two values");
    }
}

/// Which variable a value came from: `(local 'cart')`.
static void append_variable(const vm *lua, text *output, bytes rest) {
    static const char *const kinds[] = {
        "local", "global", "upvalue", "field", "method", "for iterator", "metamethod", NULL};
    if (!take(&rest, " (")) return;
    const char *kind = take_one(&rest, kinds);
    if (kind == NULL || !take(&rest, " '")) return;
    size_t count = find(rest, "'");
    bytes name = {rest.bytes, count};
    bytes end = {rest.bytes + count, rest.count - count};
    // The names of metamethods and iterators are Lua's.
    bool known = kind == kinds[5] || kind == kinds[6]
        ? is_plain_word(name)
        : is_own_word(name) || tapline_lua_words_have(lua, name);
    if (!known || !bytes_equal(end, BYTES("')"))) return;
    tapline_lua_text_append_string(output, " (");
    tapline_lua_text_append_string(output, kind);
    tapline_lua_text_append_string(output, " '");
    tapline_lua_text_append(output, name.bytes, name.count);
    tapline_lua_text_append_string(output, "')");
}

/// `attempt to index a nil value (local 'cart')`; false for another form.
static bool append_attempt(const vm *lua, text *output, bytes rest) {
    static const char *const verbs[] = {
        "perform arithmetic on", "perform bitwise operation on", "concatenate", "index", "call",
        "get length of", NULL};
    if (!take(&rest, "attempt to ")) return false;
    if (take(&rest, "compare ")) {
        tapline_lua_text_append_string(output, "attempt to compare ");
        append_comparison(output, rest);
        return true;
    }
    const char *verb = take_one(&rest, verbs);
    if (verb == NULL || !take(&rest, " a ")) return false;
    tapline_lua_text_append_string(output, "attempt to ");
    tapline_lua_text_append_string(output, verb);
    tapline_lua_text_append_string(output, " a ");
    const char *type = take_type(&rest);
    bool known = type != NULL && take(&rest, " value");
    if (known && rest.count > 0 && !(rest.count > 2 && memcmp(rest.bytes, " (", 2) == 0)) known = false;
    if (known) {
        tapline_lua_text_append_string(output, type);
        tapline_lua_text_append_string(output, " ");
    }
    tapline_lua_text_append_string(output, "value");
    if (known) append_variable(lua, output, rest);
    return true;
}

/// What was expected, and the type that was found: `number expected, got table)`.
static bool append_expectation(text *output, bytes rest) {
    size_t count = find(rest, " expected, got ");
    if (count == rest.count || !is_plain_word((bytes){rest.bytes, count})) return false;
    tapline_lua_text_append(output, rest.bytes, count);
    tapline_lua_text_append_string(output, " expected");
    rest = (bytes){rest.bytes + count, rest.count - count};
    take(&rest, " expected, got ");
    const char *type = take_type(&rest);
    if (type != NULL && bytes_equal(rest, BYTES(")"))) {
        tapline_lua_text_append_string(output, ", got ");
        tapline_lua_text_append_string(output, type);
    }
    tapline_lua_text_append_string(output, ")");
    return true;
}

/// `bad argument #1 to 'rep' (number expected, got table)`; false for another form.
static bool append_argument(const vm *lua, text *output, bytes rest) {
    bytes start = rest;
    bool is_self = take(&rest, "calling '");
    if (!is_self) {
        if (!take(&rest, "bad argument #")) return false;
        while (rest.count > 0 && rest.bytes[0] >= '0' && rest.bytes[0] <= '9') {
            rest.bytes++;
            rest.count--;
        }
        if (!take(&rest, " to '")) return false;
    }
    size_t count = find(rest, is_self ? "' on bad self (" : "' (");
    if (count == rest.count) return false;
    bytes name = {rest.bytes, count};
    tapline_lua_text_append(output, start.bytes, (size_t)(rest.bytes - start.bytes));
    if (is_own_word(name) || tapline_lua_words_have(lua, name)) {
        tapline_lua_text_append(output, name.bytes, name.count);
    } else {
        tapline_lua_text_append_string(output, "?");
    }
    rest = (bytes){rest.bytes + count, rest.count - count};
    tapline_lua_text_append_string(output, is_self ? "' on bad self (" : "' (");
    take(&rest, is_self ? "' on bad self (" : "' (");
    if (!append_expectation(output, rest)) append_quoted(lua, output, rest);
    return true;
}

/// `bad 'for' limit (number expected, got table)`; false for another form.
static bool append_loop(text *output, bytes rest) {
    static const char *const parts[] = {"limit", "step", "initial value", "initial", NULL};
    if (!take(&rest, "bad 'for' ")) return false;
    const char *part = take_one(&rest, parts);
    if (part == NULL || !take(&rest, " (")) return false;
    tapline_lua_text_append_string(output, "bad 'for' ");
    tapline_lua_text_append_string(output, part);
    tapline_lua_text_append_string(output, " (");
    return append_expectation(output, rest);
}

void tapline_lua_clean_fault(const vm *lua, text *output, bytes message) {
    size_t start = output->count;
    bytes rest = message;
    if (append_attempt(lua, output, message) || append_argument(lua, output, message) ||
        append_loop(output, message)) {
        return;
    }
    output->count = start;
    if (take(&rest, "integral size (")) {
        // The size is a number out of the format.
        tapline_lua_text_append_string(output, "integral size out of limits");
    } else if (take(&rest, "number ") && find(rest, "has no integer representation") < rest.count) {
        tapline_lua_text_append_string(output, "number has no integer representation");
    } else {
        append_quoted(lua, output, message);
    }
}

void tapline_lua_clean_syntax(text *output, bytes message) {
    size_t count = find(message, " near '");
    if (count == message.count) {
        tapline_lua_text_append(output, message.bytes, message.count);
        return;
    }
    bytes rest = {message.bytes + count, message.count - count};
    take(&rest, " near '");
    bytes token = {rest.bytes, rest.count == 0 ? 0 : rest.count - 1};
    uint8_t first = token.count > 0 ? token.bytes[0] : 0;
    uint8_t second = token.count > 1 ? token.bytes[1] : 0;
    bool is_digit = first >= '0' && first <= '9';
    bool is_number = is_digit || (first == '.' && second >= '0' && second <= '9');
    bool is_string = (token.count > 1 && (first == '"' || first == '\'')) ||
        (first == '[' && (second == '[' || second == '='));
    tapline_lua_text_append(output, message.bytes, count);
    if (is_number || is_string) {
        tapline_lua_text_append_string(output, is_number ? " near a number" : " near a string");
    } else if (token.count <= 64) {
        tapline_lua_text_append(output, message.bytes + count, message.count - count);
    } else {
        tapline_lua_text_append_string(output, " near '…'");
    }
}
