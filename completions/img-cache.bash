# bash completion for img-cache, written by img-cache --generate complete-bash
# shellcheck shell=bash

# Splits the line up to the cursor, without quotes: words has what comes before the word at the cursor. quote is
# the quote that is still open, and head the part of word that bash takes for a word of its own.
_img_cache_split() {
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
_img_cache_offer() {
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
_img_cache_offer_list() {
    local given=${word#"$lead"}
    given=${given%"${given##*,}"}
    lead+=$given
    compopt -o nospace 2>/dev/null
    _img_cache_offer
}

# Offers files (-f) or folders (-d). If there are any, bash does the quoting.
_img_cache_files() {
    local line
    while IFS= read -r line; do
        line=$lead$line
        COMPREPLY+=("${line#"$head"}")
        quotes=1
    done < <(compgen "$1" -- "${word#"$lead"}")
    if [[ -n $quotes ]]; then compopt -o filenames 2>/dev/null; fi
}

_img_cache() {
    local words=() word='' head='' quote='' quotes='' lead='' given='' command='' option='' operands=''
    local index arg left=0
    COMPREPLY=()
    _img_cache_split
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
        --skip-made | --url-field | --key | --key-field | --key-ignore-query | --media | --expires-at | --expiry-field | --output-dir | --name-template | -j | --jobs | --print | --remote | --remote-mode | --remote-scopes | --remote-timeout | --remote-wait | --remote-header-file | --remote-key-file | --remote-cacert | --max-bytes | --negative-ttl | --timeout | --retries | --rate | --jobs-per-host | --cacert | --header | --header-file | --bearer-file | --netrc-file | --cache-dir | --scope | --policy | --policy-rule | --ttl | --expire-after | --capacity | --lease | --log-format | --progress | --metrics | --config | --delay | --sort | --older-than | --newer-than | --unused-for | --larger-than | --smaller-than | --host | --match | --kind | --format | -o | --output | --service | --resolution | --quality | --effort | --allow-path | --max-pixels | --max-frames | --max-animation-pixels | --max-memory | --max-seconds) option=$arg left=1 ;;
        --header-for | --bearer-for) option=$arg left=2 ;;
        --allow-private) option=$arg ;;
        -*) ;;
        *)
            case ${command:+$command }$arg in
            put | prefetch | explain | get | has | cat | path | ls | info | rm | pin | unpin | clean | verify | sync | scope | "scope list" | "scope current" | "scope switch" | "scope purge" | reset | stats | settings) command=${command:+$command }$arg ;;
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
    --skip-made)
        _img_cache_files -d
        ;;
    --output-dir)
        _img_cache_files -d
        ;;
    --remote-mode)
        _img_cache_offer < <(printf '%s\n' read write both)
        ;;
    --remote-header-file)
        _img_cache_files -f
        ;;
    --remote-key-file)
        _img_cache_files -f
        ;;
    --remote-cacert)
        _img_cache_files -f
        ;;
    --cacert)
        _img_cache_files -f
        ;;
    --header-file)
        _img_cache_files -f
        ;;
    --bearer-file)
        _img_cache_files -f
        ;;
    --bearer-for)
        if ((left == 1)); then
            _img_cache_files -f
        fi
        ;;
    --netrc-file)
        _img_cache_files -f
        ;;
    --cache-dir)
        _img_cache_files -d
        ;;
    --scope)
        _img_cache_offer < <(img-cache scope list 2>/dev/null | sed -n 's/^{"scope":"\([^"\\]*\)".*/\1/p')
        ;;
    --policy)
        _img_cache_offer < <(printf '%s\n' enabled disabled memory)
        ;;
    --log-format)
        _img_cache_offer < <(printf '%s\n' plain json)
        ;;
    --progress)
        _img_cache_offer < <(printf '%s\n' auto plain none)
        ;;
    --metrics)
        _img_cache_files -f
        ;;
    --config)
        _img_cache_files -f
        ;;
    --sort)
        _img_cache_offer < <(printf '%s\n' size age used url)
        ;;
    --kind)
        _img_cache_offer < <(printf '%s\n' original placeholder variant superseded)
        ;;
    --format)
        _img_cache_offer < <(printf '%s\n' text json prometheus)
        ;;
    -o | --output)
        _img_cache_files -f
        ;;
    --service)
        _img_cache_offer < <(printf '%s\n' auto science api)
        ;;
    --resolution)
        _img_cache_offer < <(printf '%s\n' 180 360 720 1080)
        ;;
    --allow-path)
        _img_cache_files -d
        ;;
    esac
    if ((left > 0)); then return; fi
    case $command in
    "settings")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --sync -j --jobs --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --max-bytes --negative-ttl --respect-cache-control --timeout --retries --rate --jobs-per-host --allow-private --header-file --bearer-file --netrc-file --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --service --resolution --quality --effort --allow-path --max-pixels --max-frames --max-animation-pixels --max-memory --max-seconds -h --help)
        fi
        ;;
    "stats")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --sync --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --format --zero -o --output -h --help)
        fi
        ;;
    "reset")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --dry-run -h --help)
        fi
        ;;
    "scope purge")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --wait -h --help)
        else
            _img_cache_offer < <(img-cache scope list 2>/dev/null | sed -n 's/^{"scope":"\([^"\\]*\)".*/\1/p')
        fi
        ;;
    "scope switch")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --keep --new -h --help)
        else
            _img_cache_offer < <(img-cache scope list 2>/dev/null | sed -n 's/^{"scope":"\([^"\\]*\)".*/\1/p')
        fi
        ;;
    "scope current")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json -h --help)
        fi
        ;;
    "scope list")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json -h --help)
        fi
        ;;
    "scope")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' -h --help)
        else
            _img_cache_offer < <(printf '%s\n' list current switch purge)
        fi
        ;;
    "sync")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' -j --jobs --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --push --pull -h --help)
        fi
        ;;
    "verify")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' -j --jobs --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --repair -h --help)
        fi
        ;;
    "clean")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --dry-run -h --help)
        fi
        ;;
    "unpin")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "pin")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "rm")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query -z --null-data --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --older-than --newer-than --unused-for --larger-than --smaller-than --expired --host --match --kind --dry-run -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "info")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --verify -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "ls")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json --variants --all-scopes --sort --reverse --table --no-trunc --older-than --newer-than --unused-for --larger-than --smaller-than --expired --pinned --host --match --kind -h --help)
        fi
        ;;
    "path")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query -z --null-data -0 --null --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "cat")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query -z --null-data --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "has")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query -z --null-data --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --no-stale -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "get")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query --output-dir --name-template --overwrite --sync -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --no-stale -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "explain")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --url-field --key --key-field --key-ignore-query --media --expires-at --expiry-field -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --offline --refresh --stale --no-stale --max-bytes --negative-ttl --respect-cache-control --timeout --retries --rate --jobs-per-host --allow-private --allow-insecure-redirects --cacert --header --header-for --header-file --bearer-file --bearer-for --netrc --netrc-file --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "prefetch")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --no-degrade --url-field --key --key-field --key-ignore-query --media --expires-at --expiry-field -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --offline --refresh --stale --no-stale --max-bytes --negative-ttl --respect-cache-control --timeout --retries --rate --jobs-per-host --allow-private --allow-insecure-redirects --cacert --header --header-for --header-file --bearer-file --bearer-for --netrc --netrc-file --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --delay -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    "put")
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --incremental --no-degrade --skip-made --url-field --key --key-field --key-ignore-query --media --expires-at --expiry-field --output-dir --name-template --overwrite --sync -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --offline --refresh --stale --no-stale --max-bytes --negative-ttl --respect-cache-control --timeout --retries --rate --jobs-per-host --allow-private --allow-insecure-redirects --cacert --header --header-for --header-file --bearer-file --bearer-for --netrc --netrc-file --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help)
        else
            _img_cache_files -f
            _img_cache_offer < <(img-cache ls --print cache.key 2>/dev/null)
        fi
        ;;
    *)
        if [[ $word == -* && -z $operands ]]; then
            _img_cache_offer < <(printf '%s\n' --cache-dir --allow-shared-root --scope --policy --policy-rule -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help --version)
        else
            _img_cache_offer < <(printf '%s\n' put prefetch explain get has cat path ls info rm pin unpin clean verify sync scope reset stats settings help)
        fi
        ;;
    esac
}

complete -F _img_cache img-cache
