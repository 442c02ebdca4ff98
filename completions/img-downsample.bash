# bash completion for img-downsample, written by img-downsample --generate complete-bash
# shellcheck shell=bash

# Splits the line up to the cursor, without quotes: words has what comes before the word at the cursor. quote is
# the quote that is still open, and head the part of word that bash takes for a word of its own.
_img_downsample_split() {
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
_img_downsample_offer() {
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
_img_downsample_offer_list() {
    local given=${word#"$lead"}
    given=${given%"${given##*,}"}
    lead+=$given
    compopt -o nospace 2>/dev/null
    _img_downsample_offer
}

# Offers files (-f) or folders (-d). If there are any, bash does the quoting.
_img_downsample_files() {
    local line
    while IFS= read -r line; do
        line=$lead$line
        COMPREPLY+=("${line#"$head"}")
        quotes=1
    done < <(compgen "$1" -- "${word#"$lead"}")
    if [[ -n $quotes ]]; then compopt -o filenames 2>/dev/null; fi
}

_img_downsample() {
    local words=() word='' head='' quote='' quotes='' lead='' given='' command='' option='' operands=''
    local index arg left=0
    COMPREPLY=()
    _img_downsample_split
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
        --variant | --width | --height | --fit | --aspect-ratio | --scale | --content-mode | --gravity | --focus | --region | --format | --quality | --effort | --chroma | --fit-bytes | --gradient | --corner-radius | --background | --rotate | --frame | --fps | --quality-decode | --decoder | -o | --output | --output-dir | --name-template | --allow-path | --fallback-message | --fallback-icon | --theme | --font | --max-bytes | --max-pixels | --max-frames | --max-animation-pixels | --max-memory | --max-seconds | -j | --jobs | --print | --remote | --remote-mode | --remote-scopes | --remote-timeout | --remote-wait | --remote-header-file | --remote-key-file | --remote-cacert | --cache-dir | --scope | --policy | --policy-rule | --ttl | --expire-after | --capacity | --lease | --log-format | --progress | --metrics | --config | --title | --page-size | --style | --base-url | --title-field | --date-field | --text-field | --credit-field | --licence-field | --link-field) option=$arg left=1 ;;
        -*) ;;
        *)
            case ${command:+$command }$arg in
            gallery | styles) command=${command:+$command }$arg ;;
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
    --variant)
        _img_downsample_offer_list < <(printf '%s\n' pager overlay fit custom launch-card detail-view rocket-card preference-view)
        ;;
    --content-mode)
        _img_downsample_offer < <(printf '%s\n' fit fill force contain)
        ;;
    --gravity)
        _img_downsample_offer < <(printf '%s\n' center north northeast east southeast south southwest west northwest attention entropy)
        ;;
    --format)
        _img_downsample_offer < <(printf '%s\n' auto jpeg png gif webp avif)
        ;;
    --chroma)
        _img_downsample_offer < <(printf '%s\n' auto 420 444)
        ;;
    --gradient)
        _img_downsample_offer < <(printf '%s\n' none standard enhanced)
        ;;
    --rotate)
        _img_downsample_offer < <(printf '%s\n' 90 180 270)
        ;;
    --quality-decode)
        _img_downsample_offer < <(printf '%s\n' auto fast full)
        ;;
    --decoder)
        _img_downsample_offer < <(printf '%s\n' auto libjpeg)
        ;;
    -o | --output)
        _img_downsample_files -f
        ;;
    --output-dir)
        _img_downsample_files -d
        ;;
    --allow-path)
        _img_downsample_files -d
        ;;
    --fallback-icon)
        _img_downsample_files -f
        ;;
    --theme)
        _img_downsample_offer < <(printf '%s\n' light dark auto)
        ;;
    --font)
        _img_downsample_files -f
        ;;
    --remote-mode)
        _img_downsample_offer < <(printf '%s\n' read write both)
        ;;
    --remote-header-file)
        _img_downsample_files -f
        ;;
    --remote-key-file)
        _img_downsample_files -f
        ;;
    --remote-cacert)
        _img_downsample_files -f
        ;;
    --cache-dir)
        _img_downsample_files -d
        ;;
    --scope)
        _img_downsample_offer < <(img-cache scope list 2>/dev/null | sed -n 's/^{"scope":"\([^"\\]*\)".*/\1/p')
        ;;
    --policy)
        _img_downsample_offer < <(printf '%s\n' enabled disabled memory)
        ;;
    --log-format)
        _img_downsample_offer < <(printf '%s\n' plain json)
        ;;
    --progress)
        _img_downsample_offer < <(printf '%s\n' auto plain none)
        ;;
    --metrics)
        _img_downsample_files -f
        ;;
    --config)
        _img_downsample_files -f
        ;;
    --style)
        _img_downsample_files -f
        ;;
    esac
    if ((left > 0)); then return; fi
    case $command in
    "styles")
        if [[ $word == -* && -z $operands ]]; then
            _img_downsample_offer < <(printf '%s\n' -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --json -h --help)
        fi
        ;;
    "gallery")
        if [[ $word == -* && -z $operands ]]; then
            _img_downsample_offer < <(printf '%s\n' --format --quality --effort --chroma --quality-decode --output-dir --allow-path --max-bytes --max-pixels --max-frames --max-animation-pixels --max-memory --max-seconds -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement --title --theme --page-size --style --base-url --public --originals --prune --title-field --date-field --text-field --credit-field --licence-field --link-field -h --help)
        else
            _img_downsample_files -f
        fi
        ;;
    *)
        if [[ $word == -* && -z $operands ]]; then
            _img_downsample_offer < <(printf '%s\n' --variant --width --height --fit --aspect-ratio --scale --exact --enlarge --no-enlarge --content-mode --gravity --focus --region --format --quality --effort --chroma --fit-bytes --progressive --gradient --corner-radius --background --rotate --linear --keep-profile --keep-metadata --keep-copyright --poster --frame --fps --print-hash --quality-decode --decoder --allow-truncated --allow-damaged -o --output --output-dir --name-template --sync --allow-path --progressive-records --fallback --fallback-message --fallback-icon --theme --font --max-bytes --max-pixels --max-frames --max-animation-pixels --max-memory --max-seconds -j --jobs --unordered --fail-fast --strict --retry-errors -z --null-data --print -0 --null --pretty --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --cache-dir --allow-shared-root --scope --policy --policy-rule --ttl --expire-after --capacity --lease -q --quiet -v --verbose --log-format --progress --metrics --config --no-confinement -h --help --version)
        else
            _img_downsample_offer < <(printf '%s\n' gallery styles)
            _img_downsample_files -f
        fi
        ;;
    esac
}

complete -F _img_downsample img-downsample
