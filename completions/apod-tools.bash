# Completion of apod-fetch, img-cache, img-downsample and gif-cache in bash 3.2 and later: the tool says what the word at
# the cursor may become (docs/scripting.md).
# shellcheck shell=bash

_apod_tools() {
    local line=${COMP_LINE:0:COMP_POINT} words=() word='' begun='' head='' quote='' char
    local lines=() value lead='' readline_quotes=''
    # Splits the line as bash will. It replaces the word only behind its last colon or equals sign: head is what stays.
    while [[ -n $line ]]; do
        char=${line:0:1} line=${line:1}
        if [[ -n $quote && $char == "$quote" ]]; then
            quote=''
        elif [[ $char == \\ && $quote != "'" ]]; then
            word+=${line:0:1} line=${line:1}
        elif [[ -z $quote && ($char == "'" || $char == '"') ]]; then
            quote=$char begun=1
        elif [[ -z $quote && $char == [[:space:]] ]]; then
            if [[ -n $word$begun ]]; then words+=("$word"); fi
            word='' begun='' head=''
        else
            word+=$char
            if [[ -z $quote && $char == [:=] && $COMP_WORDBREAKS == *"$char"* ]]; then head=$word; fi
        fi
    done
    while IFS= read -r value; do
        lines+=("${value%%$'\t'*}")
    done < <(command "$1" --complete "${words[@]:1}" "$word" 2>/dev/null)
    case ${lines[0]-} in
    :nospace) compopt -o nospace 2>/dev/null ;;
    :f*)
        if [[ $word == --*=* ]]; then lead=${word%%=*}=; fi
        while IFS= read -r value; do
            lines+=("$lead$value")
        done < <(_apod_tools_places "${lines[0]}" "${word#"$lead"}")
        if compopt -o filenames 2>/dev/null; then readline_quotes=1; fi
        ;;
    esac
    COMPREPLY=()
    for value in "${lines[@]:1}"; do
        value=${value#"$head"}
        if [[ -n $readline_quotes ]]; then
            :
        elif [[ -z $quote && $value == *[^[:alnum:]_./,:=@%+-]* ]]; then
            printf -v value %q "$value"
        elif [[ -n $quote && $value == *[\'\"\\\`\$\!]* ]]; then
            # Within quotes these would end them, or be run.
            continue
        fi
        COMPREPLY+=("$value")
    done
}

_apod_tools_places() {
    shopt -s extglob nocasematch
    case $1 in
    :files) compgen -f -- "$2" ;;
    *) compgen -d -- "$2" ;;
    esac
    if [[ $1 == ':files '* ]]; then
        local endings=${1#:files }
        compgen -f -X "!*.@(${endings// /|})" -- "$2"
    fi
}

complete -F _apod_tools apod-fetch img-cache img-downsample gif-cache
