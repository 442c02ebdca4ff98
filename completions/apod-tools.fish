# Completion of apod-fetch, img-cache, img-downsample and gif-cache in fish: the tool says what the word at the cursor may
# become (docs/scripting.md).

# Each tool's copy of this file is for all of them.
functions -q __apod_tools_complete; and return

function __apod_tools_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l plain (string unescape -- $word)
    set -l lines (command $words[1] --complete $words[2..-1] "$plain" 2>/dev/null)
    printf '%s\n' $lines[2..-1]
    set -l places
    switch "$lines[1]"
        case ':files'
            set places .
        case ':files *'
            set places '(?:/|\.(?:'(string replace -a ' ' '|' -- (string sub -s 8 -- $lines[1]))'))$'
        case ':folders'
            set places '/$'
        case '*'
            return
    end
    # fish itself lists files, of a command that it does not know.
    set -l lead (string match -r -- '^--[^=]*=' $word)
    set -l path (string replace -r -- '^--[^=]*=' '' $word)
    printf '%s\n' "$lead"(complete -C "__fish_command_without_completions $path" | string match -ier -- $places)
end

for tool in apod-fetch img-cache img-downsample gif-cache
    complete -c $tool -f -a '(__apod_tools_complete)'
end
