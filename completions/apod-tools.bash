# Completion of apod-fetch, img-cache, img-downsample and gif-cache in bash 3.2 and later. The tool lists the
# completions of the word at the cursor (docs/scripting.md).
# shellcheck shell=bash

_apod_tools() {
    local line=${COMP_LINE:0:COMP_POINT} words=() word='' begun='' head='' quote='' lines=() lead='' char value
    # Split the line as bash does. bash replaces only the part of the word after its last colon or equals sign; `head`
    # is the part that stays.
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
    if [[ ${lines[0]-} == :f* ]]; then
        if [[ $word == --*=* ]]; then lead=${word%%=*}=; fi
        while IFS= read -r value; do
            if [[ -d $value ]]; then value+=/; fi
            lines+=("$lead$value")
        done < <(_apod_tools_places "${lines[0]}" "${word#"$lead"}")
    fi
    COMPREPLY=()
    # Do not use readline's quoting (-o filenames): it does not quote dollar signs in text that looks like an expansion.
    for value in "${lines[@]:1}"; do
        value=${value#"$head"}
        case $quote in
        "'") value=${value//\'/\'\\\'\'} ;;
        '"')
            # Within double quotes, a backslash does not prevent history expansion.
            if [[ $value == *!* ]]; then continue; fi
            for char in \\ \" \$ \`; do value=${value//"$char"/\\$char}; done
            ;;
        *) if [[ $value == *[^[:alnum:]_./,:=@%+-]* ]]; then printf -v value %q "$value"; fi ;;
        esac
        # Readline adds the closing quote, unless the word ends with the same character.
        if [[ -n $quote && $value == *"$quote" ]]; then value+=$quote; fi
        COMPREPLY+=("$value")
    done
    if [[ ${lines[0]-} == :nospace || ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

_apod_tools_places() {
    local path=${2/#'~/'/$HOME/} endings=${1#:files }
    shopt -s extglob nocasematch
    if [[ $1 == :files ]]; then compgen -f -- "$path"; else compgen -d -- "$path"; fi
    if [[ $1 == ':files '* ]]; then compgen -f -X "!*.@(${endings// /|})" -- "$path"; fi
}

complete -F _apod_tools apod-fetch img-cache img-downsample gif-cache
