# Completion of apod-fetch, img-cache, img-downsample and gif-cache in fish. The tool lists the completions of the word
# at the cursor (docs/scripting.md).

# This file is installed once per tool, but each copy completes all tools, so load it only once.
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
    # Let fish list files, as it does for a command without completions.
    set -l lead (string match -r -- '^--[^=]*=' $word)
    set -l path (string replace -r -- '^--[^=]*=' '' $word)
    printf '%s\n' "$lead"(complete -C "__fish_command_without_completions $path" | string match -ier -- $places)
end

for tool in apod-fetch img-cache img-downsample gif-cache
    complete -c $tool -f -a '(__apod_tools_complete)'
end
