// SPDX-License-Identifier: MIT

// simdjson documents its parsers, but not the index of structural characters that the walk reads
// (`simdjson::internal::dom_parser_implementation`). Before the first parse, the loaded library
// must therefore produce the index that the walk expects.

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include <simdjson.h>

#include "walk.h"

// The version of the headers: a later major version must be reviewed and tested before it is added.
static_assert(
    simdjson::SIMDJSON_VERSION_MAJOR == 3, "CSimdjsonShims was tried with simdjson 3 only");

namespace {

/// A document with quotes and structural characters in strings, escapes before quotes, all kinds of
/// white space and scalars, and strings across the blocks of 64 bytes that simdjson reads.
constexpr char sample[] =
    "{\"a\":[1,-2.5e3 ,\"x{}[]:,\\\\\"],\"b\\\"\\u00e9\":{ \"deep\":[[],{}]},"
    "\"it crosses the 64th byte \\\\\\\" of the text, and then the 128th: \xc3\xa9\":true,"
    "\n\t\"z\": null,\"\":0.1}  ";

/// The positions of structural characters, opening quotes of strings and other scalars.
constexpr uint32_t sample_index[] = {
    0,  1,  4,  5,  6,  7,  8,  15, 16, 27, 28,  29,  40,  41,  43,  49,  50,  51,  52,
    53, 54, 55, 56, 57, 58, 59, 126, 127, 131, 134, 137, 139, 143, 144, 146, 147, 150};

/// Documents that the first stage must refuse: an open string, a control character, a partial
/// character.
constexpr const char *refused[] = {"[\"a]", "[\"\x01\"]", "[\"\xc3\"]"};

bool fits(const simdjson::implementation *kernel) noexcept {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
    if (kernel->create_dom_parser_implementation(1024, 1, parser) || parser == nullptr) {
        return false;
    }
    const auto regular = simdjson::stage1_mode::regular;
    const auto *bytes = reinterpret_cast<const uint8_t *>(sample);
    if (parser->stage1(bytes, sizeof sample - 1, regular) != simdjson::SUCCESS) { return false; }
    if (!tapline_json_is_sample_index(
            parser->structural_indexes.get(), parser->n_structural_indexes)) {
        return false;
    }
    for (const char *text : refused) {
        bytes = reinterpret_cast<const uint8_t *>(text);
        if (parser->stage1(bytes, std::strlen(text), regular) == simdjson::SUCCESS) { return false; }
    }
    bytes = reinterpret_cast<const uint8_t *>("  ");
    return parser->stage1(bytes, 2, regular) == simdjson::EMPTY;
}

}  // namespace

bool tapline_json_is_sample_index(const uint32_t *index, size_t count) {
    return std::equal(index, index + count, std::begin(sample_index), std::end(sample_index));
}

bool tapline_json_fits(void) {
    static const bool is_known = fits(simdjson::get_active_implementation());
    return is_known;
}

size_t tapline_json_failing_kernels(void) {
    size_t failing = 0;
    for (const auto *kernel : simdjson::get_available_implementations()) {
        if (kernel->supported_by_runtime_system() && !fits(kernel)) { failing += 1; }
    }
    return failing;
}
