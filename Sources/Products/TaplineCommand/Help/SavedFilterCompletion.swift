// SPDX-License-Identifier: MIT

/// Functions of shells that complete `@NAME`: they ask the databases on the command line.
///
/// Only names that `SavedFilter` allows are offered, since other programs may write others.
enum SavedFilterCompletion {
    /// For bash, which treats `@` as a word of its own, unless `COMP_WORDBREAKS` was changed.
    static let bash = #"""
        _tapline_filters() {
            local at="" store name rest
            case "$COMP_WORDBREAKS" in *@*) ;; *) at="@" ;; esac
            case "$current" in
                @) [ -n "$at" ] || current="" ;;
                @*) ;;
                *) [ "$previous" = "@" ] || return 0 ;;
            esac
            COMPREPLY=()
            for store in "${COMP_WORDS[@]:2}"; do
                [ -f "$store" ] || continue
                while read -r name rest; do
                    case "$name" in "" | *[!A-Za-z0-9_.-]*) continue ;; esac
                    case "$at$name" in "$current"*) COMPREPLY+=("$at$name") ;; esac
                done < <("${COMP_WORDS[0]}" query "$store" --filters 2>/dev/null)
            done
        }
        """#

    /// For zsh.
    static let zsh = #"""
        _tapline_filters() {
            local store line name
            local -a names
            for store in ${(Q)words}; do
                [[ -f $store ]] || continue
                for line in ${(f)"$(tapline query $store --filters 2>/dev/null)"}; do
                    name=${line%% *}
                    [[ -n $name && $name != *[^A-Za-z0-9_.-]* ]] && names+=(@$name)
                done
            done
            compadd -a names
        }
        _tapline_filter() {
            if [[ $PREFIX == @* ]]; then _tapline_filters; else _tapline_filter_values; fi
        }
        _tapline_stores() {
            _tapline_filter || _files
        }
        """#

    /// For fish.
    static let fish = #"""
        function __tapline_filters
            set -l token (commandline -ct)
            string match -q '@*' -- "$token"; or return
            for store in (commandline -opc)
                test -f "$store"; and command tapline query "$store" --filters 2>/dev/null
            end | string replace -rf '^([A-Za-z0-9_.-]+) +(.*)$' '@$1\t$2'
        end
        """#
}
