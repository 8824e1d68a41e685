// SPDX-License-Identifier: MIT

/// Functions of shells that complete ids, and hosts, routes and ids in filters such as
/// `host == "`: they ask the stores on the command line with `tapline completions VALUES`.
enum StoreValueCompletion {
    /// For bash.
    ///
    /// The argument of `_tapline_filter_values` is the word that readline replaces, which has no
    /// opening quote.
    static let bash = #"""
        _tapline_values() {
            local store
            for store in "${COMP_WORDS[@]:2}"; do
                [ -f "$store" ] || continue
                "${COMP_WORDS[0]}" completions "$1" "$store" --prefix "$2" 2>/dev/null
            done
        }
        _tapline_ids() {
            local value note
            local -a values=()
            case "$current" in *[!0-9a-f-]*) return 0 ;; esac
            while IFS=$'\t' read -r value note; do
                values+=("$value")
            done < <(_tapline_values ids "$current")
            if [ "${#values[@]}" -gt 0 ]; then COMPREPLY=("${values[@]}"); fi
        }
        _tapline_filter_values() {
            local value note start
            local before='(host|route|id)[[:space:]]*(==|!=|in[[:space:]]*\[([^]]*,)?)[[:space:]]*'
            [[ "$1" =~ $before\\?\"([^\"\\]*)$ ]] || return 0
            # Within double quotes of the shell, readline adds the backslashes again.
            start="${1%"${BASH_REMATCH[4]}"}"
            start="${start//\\\"/\"}"
            COMPREPLY=()
            while IFS=$'\t' read -r value note; do
                COMPREPLY+=("$start$value\"")
            done < <(_tapline_values "${BASH_REMATCH[1]}s" "${BASH_REMATCH[4]}")
            compopt -o nospace 2>/dev/null
            return 0
        }
        """#

    /// For zsh.
    static let zsh = #"""
        _tapline_values() {
            local store
            for store in ${(Q)words}; do
                [[ -f $store ]] || continue
                tapline completions $1 $store --prefix "$2" 2>/dev/null
            done
        }
        _tapline_ids() {
            local line
            local -a values lines
            for line in ${(f)"$(_tapline_values ids "$PREFIX")"}; do
                values+=(${line%%$'\t'*})
                lines+=("${line/$'\t'/  }")
            done
            compadd -l -V ids -d lines -a values
        }
        _tapline_filter_values() {
            local line quote='"'
            local -a match mbegin mend values
            local before='(host|route|id)[[:space:]]*(==|!=|in[[:space:]]*\[([^]]*,)?)[[:space:]]*'
            [[ $PREFIX =~ $before'\\?"([^"\\]*)$' ]] || return 1
            for line in ${(f)"$(_tapline_values ${match[1]}s "$match[4]")"}; do
                values+=(${line%%$'\t'*})
            done
            compset -P '*"'
            # Within double quotes of the shell, the quote needs a backslash.
            [[ $compstate[quote] == '"' ]] && quote='\"'
            compadd -S $quote -a values
            return 0
        }
        _tapline_filter_or_ids() { _tapline_filter || _tapline_ids; }
        _tapline_ids_or_files() { _tapline_ids || _files; }
        """#

    /// For fish.
    static let fish = #"""
        function __tapline_values
            for store in (commandline -opc)[3..]
                test -f "$store"; or continue
                command tapline completions $argv[1] "$store" --prefix "$argv[2]" 2>/dev/null
            end
        end
        function __tapline_ids
            set -l token (commandline -ct)
            string match -qr '^[0-9a-f-]*$' -- "$token"; and __tapline_values ids "$token"
        end
        function __tapline_filter_values
            set -l token (commandline -ct | string replace -r '^[\'"]' '')
            set -l before '(host|route|id)\s*(?:==|!=|in\s*\[(?:[^\]]*,)?)\s*'
            set -l found (string match -r $before'\\\\?"([^"\\\\]*)$' -- "$token"); or return
            set -l length (math (string length -- "$token") - (string length -- "$found[3]"))
            set -l start (string sub -l $length -- "$token" | string replace -a '\\"' '"')
            for line in (__tapline_values $found[2]s "$found[3]")
                echo $start(string split -f 1 \t -- $line)'"'
            end
        end
        """#
}
