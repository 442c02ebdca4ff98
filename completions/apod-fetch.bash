# bash completion for apod-fetch, written by apod-fetch --generate complete-bash
# shellcheck shell=bash

# Splits the line up to the cursor, without quotes: words has what comes before the word at the cursor. quote is
# the quote that is still open, and head the part of word that bash takes for a word of its own.
_apod_fetch_split() {
    local line=${COMP_LINE:0:COMP_POINT} index char started=''
    for ((index = 0; index < ${#line}; index++)); do
        char=${line:index:1}
        if [[ -n $quote && $char == "$quote" ]]; then
            quote=''
            continue
        elif [[ $char == \\ && $quote != "'" ]]; then
            index=$((index + 1))
            word+=${line:index:1}
        elif [[ -n $quote ]]; then
            word+=$char
        elif [[ $char == [[:space:]] ]]; then
            if [[ -n $started ]]; then words+=("$word"); fi
            word='' head='' started=''
            continue
        elif [[ $char == "'" || $char == '"' ]]; then
            quote=$char
        else
            word+=$char
            if [[ $char == [:=] && $COMP_WORDBREAKS == *"$char"* ]]; then head=$word; fi
        fi
        started=1
    done
}

# Offers those lines of standard input that the word can become, with what is before the value already.
_apod_fetch_offer() {
    local line text
    while IFS= read -r line; do
        if [[ -z $line || $lead$line != "$word"* || ,$given == *",$line,"* ]]; then continue; fi
        text=$lead$line
        text=${text#"$head"}
        if [[ -z $quote && -z $quotes ]]; then
            printf -v text %q "$text"
            text=${text//\\,/,}
        fi
        COMPREPLY+=("$text")
    done
}

# The same for the last value of a list with commas.
_apod_fetch_offer_list() {
    local given=${word#"$lead"}
    given=${given%"${given##*,}"}
    lead+=$given
    compopt -o nospace 2>/dev/null
    _apod_fetch_offer
}

# Offers files (-f) or folders (-d). If there are any, bash does the quoting.
_apod_fetch_files() {
    local line
    while IFS= read -r line; do
        line=$lead$line
        COMPREPLY+=("${line#"$head"}")
        quotes=1
    done < <(compgen "$1" -- "${word#"$lead"}")
    if [[ -n $quotes ]]; then compopt -o filenames 2>/dev/null; fi
}

_apod_fetch() {
    local words=() word='' head='' quote='' quotes='' lead='' given='' command='' option='' operands=''
    local index arg left=0
    COMPREPLY=()
    _apod_fetch_split
    # How many values of the option are still to come is in left.
    for ((index = 1; index < ${#words[@]}; index++)); do
        arg=${words[index]}
        if ((left > 0)); then
            left=$((left - 1))
            if ((left == 0)); then option=''; fi
            continue
        fi
        option=''
        if [[ -n $operands ]]; then continue; fi
        case $arg in
        --) operands=1 ;;
        --last | --start-date | --end-date | --count | --seed | --search | --media | --format | --feed-url | --service | -j | --jobs | --print | --timeout | --retries | --cacert | --netrc-file | --cache-dir | --scope | --policy | --policy-rule | --remote | --remote-mode | --remote-scopes | --remote-timeout | --remote-wait | --remote-header-file | --remote-key-file | --remote-cacert | --log-format | --progress | --metrics | --config) option=$arg left=1 ;;
        --date | --allow-private) option=$arg ;;
        -*) ;;
        esac
    done
    if [[ -z $operands && $left == 0 && $word == --*=* ]]; then
        option=${word%%=*}
        lead=$option=
        left=1
    fi
    case $option in
    --media)
        _apod_fetch_offer_list < <(printf '%s\n' image video other)
        ;;
    --format)
        _apod_fetch_offer < <(printf '%s\n' json text markdown html atom url)
        ;;
    --service)
        _apod_fetch_offer < <(printf '%s\n' auto science api)
        ;;
    --cacert)
        _apod_fetch_files -f
        ;;
    --netrc-file)
        _apod_fetch_files -f
        ;;
    --cache-dir)
        _apod_fetch_files -d
        ;;
    --scope)
        _apod_fetch_offer < <(img-cache scope list 2>/dev/null | sed -n 's/^{"scope":"\([^"\\]*\)".*/\1/p')
        ;;
    --policy)
        _apod_fetch_offer < <(printf '%s\n' enabled disabled memory)
        ;;
    --remote-mode)
        _apod_fetch_offer < <(printf '%s\n' read write both)
        ;;
    --remote-header-file)
        _apod_fetch_files -f
        ;;
    --remote-key-file)
        _apod_fetch_files -f
        ;;
    --remote-cacert)
        _apod_fetch_files -f
        ;;
    --log-format)
        _apod_fetch_offer < <(printf '%s\n' plain json)
        ;;
    --progress)
        _apod_fetch_offer < <(printf '%s\n' auto plain none)
        ;;
    --metrics)
        _apod_fetch_files -f
        ;;
    --config)
        _apod_fetch_files -f
        ;;
    esac
    if ((left > 0)); then return; fi
    case $command in
    *)
        if [[ $word == -* && -z $operands ]]; then
            _apod_fetch_offer < <(printf '%s\n' --date --last --start-date --end-date --count --seed --search --require-today --media --no-copyright --fallback-previous --raw --format --feed-url --service --refresh --offline -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --timeout --retries --allow-private --cacert --netrc --netrc-file --cache-dir --allow-shared-root --scope --policy --policy-rule --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help --version)
        fi
        ;;
    esac
}

complete -F _apod_fetch apod-fetch
