# bash completion for gif-cache, written by gif-cache --generate complete-bash
# shellcheck shell=bash

# Splits the line up to the cursor, without quotes: words has what comes before the word at the cursor. quote is
# the quote that is still open, and head the part of word that bash takes for a word of its own.
_gif_cache_split() {
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
_gif_cache_offer() {
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
_gif_cache_offer_list() {
    local given=${word#"$lead"}
    given=${given%"${given##*,}"}
    lead+=$given
    compopt -o nospace 2>/dev/null
    _gif_cache_offer
}

# Offers files (-f) or folders (-d). If there are any, bash does the quoting.
_gif_cache_files() {
    local line
    while IFS= read -r line; do
        line=$lead$line
        COMPREPLY+=("${line#"$head"}")
        quotes=1
    done < <(compgen "$1" -- "${word#"$lead"}")
    if [[ -n $quotes ]]; then compopt -o filenames 2>/dev/null; fi
}

_gif_cache() {
    local words=() word='' head='' quote='' quotes='' lead='' given='' command='' option='' operands=''
    local index arg left=0
    COMPREPLY=()
    _gif_cache_split
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
        --values | --body-part | --target | --equipment | --name | -j | --jobs | --print | --api-key-file | --timeout | --retries | --cacert | --netrc-file | --remote | --remote-mode | --remote-scopes | --remote-timeout | --remote-wait | --remote-header-file | --remote-key-file | --remote-cacert | --cache-dir | --scope | --policy | --policy-rule | --ttl | --expire-after | --capacity | --lease | --log-format | --progress | --metrics | --config | --delay | --resolution | --placeholder | --expires-at | --id-field | --output-dir | --name-template | -o | --output | --older-than | --newer-than | --unused-for | --larger-than | --smaller-than | --sort) option=$arg left=1 ;;
        --allow-private) option=$arg ;;
        -*) ;;
        *)
            case ${command:+$command }$arg in
            list | sync | put | get | has | cat | path | info | poster | ls | rm | clear | pin | unpin | verify) command=${command:+$command }$arg ;;
            esac
            ;;
        esac
    done
    if [[ -z $operands && $left == 0 && $word == --*=* ]]; then
        option=${word%%=*}
        lead=$option=
        left=1
    fi
    case $option in
    --values)
        _gif_cache_offer < <(printf '%s\n' body-part target equipment)
        ;;
    --body-part)
        _gif_cache_offer_list < <(gif-cache list --offline -q --values body-part 2>/dev/null)
        ;;
    --target)
        _gif_cache_offer_list < <(gif-cache list --offline -q --values target 2>/dev/null)
        ;;
    --equipment)
        _gif_cache_offer_list < <(gif-cache list --offline -q --values equipment 2>/dev/null)
        ;;
    --api-key-file)
        _gif_cache_files -f
        ;;
    --cacert)
        _gif_cache_files -f
        ;;
    --netrc-file)
        _gif_cache_files -f
        ;;
    --remote-mode)
        _gif_cache_offer < <(printf '%s\n' read write both)
        ;;
    --remote-header-file)
        _gif_cache_files -f
        ;;
    --remote-key-file)
        _gif_cache_files -f
        ;;
    --remote-cacert)
        _gif_cache_files -f
        ;;
    --cache-dir)
        _gif_cache_files -d
        ;;
    --scope)
        _gif_cache_offer < <(img-cache scope list 2>/dev/null | sed -n 's/^{"scope":"\([^"\\]*\)".*/\1/p')
        ;;
    --policy)
        _gif_cache_offer < <(printf '%s\n' enabled disabled memory)
        ;;
    --log-format)
        _gif_cache_offer < <(printf '%s\n' plain json)
        ;;
    --progress)
        _gif_cache_offer < <(printf '%s\n' auto plain none)
        ;;
    --metrics)
        _gif_cache_files -f
        ;;
    --config)
        _gif_cache_files -f
        ;;
    --resolution)
        _gif_cache_offer < <(printf '%s\n' 180 360 720 1080)
        ;;
    --placeholder)
        _gif_cache_files -f
        ;;
    --output-dir)
        _gif_cache_files -d
        ;;
    -o | --output)
        _gif_cache_files -f
        ;;
    --sort)
        _gif_cache_offer < <(printf '%s\n' size age used url)
        ;;
    esac
    if ((left > 0)); then return; fi
    case $command in
    "verify")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -j --jobs --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --repair -h --help)
        fi
        ;;
    "unpin")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --id-field -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "pin")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --id-field -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "clear")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --dry-run --json -h --help)
        fi
        ;;
    "rm")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -z --null-data --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --dry-run --resolution --json --id-field --older-than --newer-than --unused-for --larger-than --smaller-than --expired -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "ls")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --json --table --older-than --newer-than --unused-for --larger-than --smaller-than --expired --pinned --sort --reverse -h --help)
        fi
        ;;
    "poster")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --id-field --sync -o --output -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "info")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --json --id-field -h --help)
        else
            _gif_cache_files -f
        fi
        ;;
    "path")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -z --null-data -0 --null --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --id-field -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "cat")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -z --null-data --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --id-field -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "has")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -z --null-data --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --id-field --no-stale -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "get")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --id-field --output-dir --name-template --overwrite --sync --no-stale -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "put")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --api-key-file --refresh --offline --timeout --retries --allow-private --cacert --netrc --netrc-file --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --resolution --placeholder --no-placeholder --expires-at --id-field --output-dir --name-template --overwrite --sync -h --help)
        else
            _gif_cache_offer < <(gif-cache ls --print id 2>/dev/null | sort -u)
        fi
        ;;
    "sync")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' --body-part --target --equipment --name -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --api-key-file --refresh --offline --timeout --retries --allow-private --cacert --netrc --netrc-file --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --dry-run --delay --resolution --placeholder --no-placeholder --expires-at --json -h --help)
        fi
        ;;
    "list")
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' --values --body-part --target --equipment --name -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --api-key-file --refresh --offline --timeout --retries --allow-private --cacert --netrc --netrc-file --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help)
        fi
        ;;
    *)
        if [[ $word == -* && -z $operands ]]; then
            _gif_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help --version)
        else
            _gif_cache_offer < <(printf '%s\n' list sync put get has cat path info poster ls rm clear pin unpin verify help)
        fi
        ;;
    esac
}

complete -F _gif_cache gif-cache
