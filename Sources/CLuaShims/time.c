// SPDX-License-Identifier: MIT

// `time`: the host's clock, which stands still during a call, and the two notations of HTTP and
// JSON. Years are those of four digits.

#include "internal.h"

#include <math.h>
#include <stdio.h>

enum { MICROSECONDS = 1000000 };

/// A moment in the proleptic Gregorian calendar, in UTC.
typedef struct moment {
    int64_t year;
    int month, day, hour, minute, second, microsecond;
    int weekday;
} moment;

static const int64_t first_year = -62167219200; // 0000-01-01
static const int64_t last_year = 253402300799;  // 9999-12-31

/// Days since 1970 of a date; the calendar repeats every 400 years of 146,097 days.
static int64_t days_of(int64_t year, int month, int day) {
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
        719468;
}

static moment moment_of(int64_t microseconds) {
    int64_t seconds = microseconds / MICROSECONDS, rest = microseconds % MICROSECONDS;
    if (rest < 0) {
        rest += MICROSECONDS;
        seconds--;
    }
    int64_t days = seconds / 86400, of_day = seconds % 86400;
    if (of_day < 0) {
        of_day += 86400;
        days--;
    }
    int64_t shifted = days + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month = (int)((5 * day_of_year + 2) / 153);
    moment result = {
        .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
        .month = month < 10 ? month + 3 : month - 9,
        .hour = (int)(of_day / 3600),
        .minute = (int)(of_day / 60 % 60),
        .second = (int)(of_day % 60),
        .microsecond = (int)rest,
        .weekday = (int)(((days + 4) % 7 + 7) % 7),
    };
    result.year = year_of_era + era * 400 + (result.month <= 2);
    return result;
}

static int64_t microseconds_of(const moment *when) {
    int64_t seconds = days_of(when->year, when->month, when->day) * 86400 + when->hour * 3600 +
        when->minute * 60 + when->second;
    return seconds * MICROSECONDS + when->microsecond;
}

static int days_in_month(int64_t year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static bool is_date(const moment *when) {
    return when->month >= 1 && when->month <= 12 && when->day >= 1 &&
        when->day <= days_in_month(when->year, when->month) && when->hour <= 23 &&
        when->minute <= 59 && when->second <= 60;
}

// MARK: - Reading

/// Reads exactly that many digits; -1 where one is missing.
static int read_digits(bytes text, size_t start, size_t count) {
    if (start + count > text.count) return -1;
    int value = 0;
    for (size_t index = start; index < start + count; index++) {
        uint8_t byte = text.bytes[index];
        if (byte < '0' || byte > '9') return -1;
        value = value * 10 + (byte - '0');
    }
    return value;
}

static bool has_at(bytes text, size_t index, uint8_t byte) {
    return index < text.count && text.bytes[index] == byte;
}

/// The zone `Z`, `+hh:mm` or `-hh:mm` at the end, in microseconds to take away.
static bool read_zone(bytes text, size_t start, int64_t *offset) {
    if (start + 1 == text.count && (text.bytes[start] | 0x20) == 'z') {
        *offset = 0;
        return true;
    }
    bool east = has_at(text, start, '+');
    if (!east && !has_at(text, start, '-')) return false;
    int hours = read_digits(text, start + 1, 2), minutes = read_digits(text, start + 4, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || !has_at(text, start + 3, ':') ||
        start + 6 != text.count) {
        return false;
    }
    *offset = (east ? 1 : -1) * (int64_t)(hours * 60 + minutes) * 60 * MICROSECONDS;
    return true;
}

/// RFC 3339 §5.6; a fraction is cut at microseconds.
static bool read_rfc3339(bytes text, int64_t *result) {
    moment when = {
        .year = read_digits(text, 0, 4), .month = read_digits(text, 5, 2),
        .day = read_digits(text, 8, 2), .hour = read_digits(text, 11, 2),
        .minute = read_digits(text, 14, 2), .second = read_digits(text, 17, 2),
    };
    if (when.year < 0 || when.hour < 0 || when.minute < 0 || when.second < 0 || !is_date(&when)) {
        return false;
    }
    bool punctuated = has_at(text, 4, '-') && has_at(text, 7, '-') && has_at(text, 13, ':') &&
        has_at(text, 16, ':') && ((text.bytes[10] | 0x20) == 't' || text.bytes[10] == ' ');
    if (!punctuated) return false;
    size_t index = 19;
    if (has_at(text, index, '.')) {
        int unit = MICROSECONDS / 10;
        size_t start = ++index;
        for (; index < text.count && text.bytes[index] >= '0' && text.bytes[index] <= '9'; index++) {
            when.microsecond += (text.bytes[index] - '0') * unit;
            unit /= 10;
        }
        if (index == start) return false;
    }
    int64_t offset;
    if (!read_zone(text, index, &offset)) return false;
    *result = microseconds_of(&when) - offset;
    return true;
}

static const char *const weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char *const months[] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
static bool read_http(bytes text, int64_t *result) {
    if (text.count != 29 || memcmp(text.bytes + 25, " GMT", 4) != 0 || text.bytes[3] != ',') {
        return false;
    }
    moment when = {
        .year = read_digits(text, 12, 4), .day = read_digits(text, 5, 2),
        .hour = read_digits(text, 17, 2), .minute = read_digits(text, 20, 2),
        .second = read_digits(text, 23, 2),
    };
    for (int month = 0; month < 12; month++) {
        if (memcmp(text.bytes + 8, months[month], 3) == 0) when.month = month + 1;
    }
    if (when.year < 0 || when.hour < 0 || when.minute < 0 || when.second < 0 || !is_date(&when)) {
        return false;
    }
    *result = microseconds_of(&when);
    return true;
}

// MARK: - The library

/// The microseconds of seconds since 1970, or the time of the call; raises outside of the calendar.
static int64_t moment_argument(lua_State *L, int index) {
    if (lua_isnoneornil(L, index)) return tapline_lua_current_time(L);
    int is_number = 0;
    lua_Number seconds = lua_tonumberx(L, index, &is_number);
    // Written so that a NaN is refused too.
    if (!is_number || !(seconds >= (double)first_year && seconds < (double)last_year + 1)) {
        luaL_error(L, "time is not one; expected seconds since 1970, in the years 0 to 9999");
    }
    return (int64_t)floor(seconds * MICROSECONDS + 0.5);
}

static int time_now(lua_State *L) {
    lua_pushnumber(L, (lua_Number)tapline_lua_current_time(L) / MICROSECONDS);
    return 1;
}

static int time_epoch(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)floor((double)tapline_lua_current_time(L) / MICROSECONDS));
    return 1;
}

static int time_ms(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)floor((double)tapline_lua_current_time(L) / 1000));
    return 1;
}

static int time_iso8601(lua_State *L) {
    charge(L, 100);
    moment when = moment_of(moment_argument(L, 1));
    char text[64];
    int count = snprintf(
        text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", (int)when.year, when.month,
        when.day, when.hour, when.minute, when.second, when.microsecond);
    // A fraction of whole milliseconds is written as such, and none is left out.
    size_t length = (size_t)count;
    if (when.microsecond % 1000 == 0) length = when.microsecond == 0 ? 19 : 23;
    if (length < (size_t)count) text[length++] = 'Z';
    lua_pushlstring(L, text, length);
    return 1;
}

static int time_http(lua_State *L) {
    charge(L, 100);
    moment when = moment_of(moment_argument(L, 1));
    char text[64];
    int count = snprintf(
        text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", weekdays[when.weekday], when.day,
        months[when.month - 1], (int)when.year, when.hour, when.minute, when.second);
    lua_pushlstring(L, text, (size_t)count);
    return 1;
}

static int time_parse(lua_State *L) {
    bytes text = tapline_lua_string_argument(L, 1, "text");
    int64_t result;
    if (!read_rfc3339(text, &result) && !read_http(text, &result)) {
        return tapline_lua_give_nil(L, "text is no time; expected RFC 3339 or the date of HTTP");
    }
    lua_pushnumber(L, (lua_Number)result / MICROSECONDS);
    return 1;
}

void tapline_lua_open_time(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"now", time_now},         {"epoch", time_epoch}, {"ms", time_ms},
        {"iso8601", time_iso8601}, {"http", time_http},   {"parse", time_parse},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_setglobal(L, "time");
}
