// SPDX-License-Identifier: MIT

#include "CRE2Shims.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include <re2/re2.h>

struct tapline_re2_pattern {
    RE2 expression;

    tapline_re2_pattern(const re2::StringPiece &text, const RE2::Options &options)
        : expression(text, options) {}
};

namespace {

// The number of groups kept on the stack; a pattern with more groups needs an allocation per
// search.
constexpr int32_t inlineGroups = 16;

template <size_t capacity>
void copyText(char (&target)[capacity], const std::string &source) {
    size_t length = std::min(source.size(), capacity - 1);
    std::memcpy(target, source.data(), length);
    target[length] = '\0';
}

// Removes the offending part from the end of RE2's message; callers quote it themselves.
std::string messageAlone(const RE2 &expression) {
    const std::string &message = expression.error();
    const std::string ending = ": " + expression.error_arg();
    bool ends = message.size() > ending.size()
        && message.compare(message.size() - ending.size(), ending.size(), ending) == 0;
    return ends ? message.substr(0, message.size() - ending.size()) : message;
}

RE2::Options makeOptions(const tapline_re2_options &options) {
    RE2::Options result;
    result.set_log_errors(false);
    result.set_case_sensitive(!options.case_insensitive);
    result.set_dot_nl(options.dot_matches_newline);
    result.set_encoding(
        options.latin1 ? RE2::Options::EncodingLatin1 : RE2::Options::EncodingUTF8);
    if (options.max_memory > 0) {
        result.set_max_mem(options.max_memory);
    }
    return result;
}

void fillRanges(
    const re2::StringPiece *groups, int32_t available, const char *text,
    tapline_re2_range *ranges, int32_t count
) {
    for (int32_t index = 0; index < count; index += 1) {
        if (index >= available || groups[index].data() == nullptr) {
            ranges[index] = {-1, -1};
            continue;
        }
        ptrdiff_t start = groups[index].data() - text;
        ranges[index] = {start, start + static_cast<ptrdiff_t>(groups[index].size())};
    }
}

}  // namespace

tapline_re2_pattern *tapline_re2_compile(
    const char *text, size_t length, tapline_re2_options options, tapline_re2_error *error
) {
    *error = {};
    try {
        auto pattern = std::make_unique<tapline_re2_pattern>(
            re2::StringPiece(text, length), makeOptions(options));
        if (!pattern->expression.ok()) {
            copyText(error->message, messageAlone(pattern->expression));
            copyText(error->token, pattern->expression.error_arg());
            error->token_length = pattern->expression.error_arg().size();
            return nullptr;
        }
        int size = pattern->expression.ProgramSize();
        if (options.max_program > 0 && size > options.max_program) {
            error->program_size = size;
            copyText(error->message, "program too large");
            return nullptr;
        }
        return pattern.release();
    } catch (const std::exception &) {
        copyText(error->message, "out of memory");
        return nullptr;
    }
}

void tapline_re2_free(tapline_re2_pattern *pattern) { delete pattern; }

int32_t tapline_re2_group_count(const tapline_re2_pattern *pattern) {
    return pattern->expression.NumberOfCapturingGroups();
}

int32_t tapline_re2_program_size(const tapline_re2_pattern *pattern) {
    return pattern->expression.ProgramSize();
}

const char *tapline_re2_group_name(
    const tapline_re2_pattern *pattern, int32_t index, size_t *length
) {
    const auto &names = pattern->expression.CapturingGroupNames();
    auto found = names.find(index);
    if (found == names.end()) {
        return nullptr;
    }
    *length = found->second.size();
    return found->second.data();
}

bool tapline_re2_search(
    const tapline_re2_pattern *pattern, const char *text, size_t length, size_t from,
    tapline_re2_range *ranges, int32_t count
) {
    // A group that matched the empty text must differ from a group that did not participate, so the
    // text is never a null pointer.
    const char *start = text == nullptr ? "" : text;
    if (from > length) {
        return false;
    }
    try {
        re2::StringPiece piece(start, length);
        if (count <= 0) {
            return pattern->expression.Match(
                piece, from, length, RE2::UNANCHORED, nullptr, 0);
        }
        int32_t available =
            std::min(count, pattern->expression.NumberOfCapturingGroups() + 1);
        re2::StringPiece local[inlineGroups];
        std::unique_ptr<re2::StringPiece[]> heap;
        re2::StringPiece *groups = local;
        if (available > inlineGroups) {
            heap = std::make_unique<re2::StringPiece[]>(static_cast<size_t>(available));
            groups = heap.get();
        }
        if (!pattern->expression.Match(
                piece, from, length, RE2::UNANCHORED, groups, available)) {
            return false;
        }
        fillRanges(groups, available, start, ranges, count);
        return true;
    } catch (const std::exception &) {
        return false;
    }
}
