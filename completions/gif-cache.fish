# fish completion for gif-cache, written by gif-cache --generate complete-fish

# Whether the line is about one of these commands ('' for none), or at the second value of one of these options.
function __gif_cache_at
    set -l command
    set -l option
    set -l left 0
    for word in (commandline -opc)[2..-1]
        if test $left -gt 0
            set left (math $left - 1)
            continue
        end
        set option $word
        switch $word
            case --values --body-part --target --equipment --name -j --jobs --print --api-key-file --timeout --retries --cacert --netrc-file --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --cache-dir --scope --policy --policy-rule --ttl --expire-after --capacity --lease --log-format --progress --metrics --config --delay --resolution --placeholder --expires-at --id-field --output-dir --name-template -o --output --older-than --newer-than --unused-for --larger-than --smaller-than --sort
                set left 1
            case '-*'
            case '*'
                set -l longer (string join ' ' $command $word)
                if contains -- $longer list sync put get has cat path info poster ls rm clear pin unpin verify
                    set command $longer
                end
        end
    end
    contains -- "$command" $argv
end

# Offers values for the last place of a list with commas.
function __gif_cache_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l given (string match -r '^.*,' -- $typed)
    for value in $argv
        if not contains -- $value (string split , -- "$given")
            printf '%s\n' "$given$value"
        end
    end
end

complete -c gif-cache -f
complete -c gif-cache -s h -l help -d 'Show help'
complete -c gif-cache -n '__gif_cache_at ""' -l version -d 'Show the version'
complete -c gif-cache -n '__gif_cache_at ""' -a list -d 'Give all exercises of the service as records.'
complete -c gif-cache -n '__gif_cache_at ""' -a sync -d 'Fetch the GIFs of all exercises that are not there yet, three at a time.'
complete -c gif-cache -n '__gif_cache_at ""' -a put -d 'Fetch GIFs that are not there yet, three at a time, and say where they are.'
complete -c gif-cache -n '__gif_cache_at ""' -a get -d 'Say where GIFs are, without the network.'
complete -c gif-cache -n '__gif_cache_at ""' -a has -d 'Tell by the exit status whether GIFs are in the cache: 0 all, 1 not all.'
complete -c gif-cache -n '__gif_cache_at ""' -a cat -d 'Write the bytes of GIFs to standard output.'
complete -c gif-cache -n '__gif_cache_at ""' -a path -d 'Print where GIFs are, one path per line.'
complete -c gif-cache -n '__gif_cache_at ""' -a info -d 'Say what the bytes of GIFs tell: frames, delays, disposal, palettes, and more.'
complete -c gif-cache -n '__gif_cache_at ""' -a poster -d 'Draw the first frame of GIFs as PNGs, and say where they are.'
complete -c gif-cache -n '__gif_cache_at ""' -a ls -d 'List the GIFs of the scope: a table on a terminal, else a record for each GIF.'
complete -c gif-cache -n '__gif_cache_at ""' -a rm -d 'Remove GIFs and all that was made from them.'
complete -c gif-cache -n '__gif_cache_at ""' -a clear -d 'Remove all GIFs of the scope, pinned ones too, and nothing that another tool has kept.'
complete -c gif-cache -n '__gif_cache_at ""' -a pin -d 'Keep GIFs from being trimmed or cleaned away.'
complete -c gif-cache -n '__gif_cache_at ""' -a unpin -d 'Let GIFs be trimmed and cleaned away again.'
complete -c gif-cache -n '__gif_cache_at ""' -a verify -d 'Check every GIF of the scope: is it whole, and as the index says? Status 1 if not.'
complete -c gif-cache -n '__gif_cache_at put get has cat path poster rm pin unpin' -a '(command -q gif-cache; and gif-cache ls --print id 2>/dev/null | sort -u)'
complete -c gif-cache -n '__gif_cache_at info' -F
complete -c gif-cache -n '__gif_cache_at list' -l values -x -a '\'body-part\' \'target\' \'equipment\'' -d 'Print the values of body-part, target or equipment that occur, each once, instead of the exercises.'
complete -c gif-cache -n '__gif_cache_at list sync' -l body-part -x -a '(__gif_cache_list (command -q gif-cache; and gif-cache list --offline -q --values body-part 2>/dev/null))' -d 'Only of this part of the body, such as back; several with commas.'
complete -c gif-cache -n '__gif_cache_at list sync' -l target -x -a '(__gif_cache_list (command -q gif-cache; and gif-cache list --offline -q --values target 2>/dev/null))' -d 'Only for this muscle, such as lats; several with commas.'
complete -c gif-cache -n '__gif_cache_at list sync' -l equipment -x -a '(__gif_cache_list (command -q gif-cache; and gif-cache list --offline -q --values equipment 2>/dev/null))' -d 'Only with this equipment, such as barbell; several with commas.'
complete -c gif-cache -n '__gif_cache_at list sync' -l name -x -d 'Only those whose name contains this; several with commas.'
complete -c gif-cache -n '__gif_cache_at list sync put get info poster pin unpin verify' -s j -l jobs -x -d 'How many to work on at once.'
complete -c gif-cache -n '__gif_cache_at list sync put get info poster pin unpin' -l unordered -d 'Write each record as soon as it is done, not in the order of the input.'
complete -c gif-cache -n '__gif_cache_at list sync put get info poster pin unpin' -l fail-fast -d 'Stop at the first failure.'
complete -c gif-cache -n '__gif_cache_at list sync put get info poster pin unpin' -l strict -d 'Let the exit status reflect records that arrived with an error.'
complete -c gif-cache -n '__gif_cache_at list sync put get info poster pin unpin' -l retry-errors -d 'Retry records that failed in this tool with a temporary error.'
complete -c gif-cache -n '__gif_cache_at list sync put get has cat path info poster rm pin unpin' -s z -l null-data -d 'Lines of the input end with NUL, as those of find -print0 do.'
complete -c gif-cache -n '__gif_cache_at list sync put get info poster ls pin unpin' -l print -x -d 'Print this field of each record instead of the record; several with commas as columns.'
complete -c gif-cache -n '__gif_cache_at list sync put get path info poster ls pin unpin' -s 0 -l null -d 'End what is printed with NUL instead of a line feed.'
complete -c gif-cache -n '__gif_cache_at list sync put get info poster ls pin unpin' -l pretty -d 'Indent the records.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l api-key-file -r -F -d 'File that holds the key for the service.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l refresh -d 'Ask the server even if the cache has a fresh answer.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l offline -d 'Never open a connection: use what is in the cache.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l timeout -x -d 'How long one request may take in all, retries included.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l retries -x -d 'How often to retry a request that failed temporarily.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l allow-private -d 'Allow private, loopback and reserved addresses: all, or these blocks.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l cacert -r -F -d 'Trust the certificates in this PEM file instead of the system\'s.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l netrc -d 'Take user names and passwords from ~/.netrc.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l netrc-file -r -F -d 'Take user names and passwords from this file.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l remote -x -d 'Share pictures and variants with other machines: http, https, redis or file.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l remote-mode -x -a '\'read\' \'write\' \'both\'' -d 'What to do with the remote: read, write or both.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l remote-scopes -x -d 'The scopes that are shared; * for all.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l remote-timeout -x -d 'How long to wait for a connection to the remote.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l remote-wait -x -d 'How long to wait at the end of a run until everything is handed over.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l remote-header-file -r -F -d 'Send the headers in this file to the remote: \'Name: value\', one per line.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l remote-key-file -r -F -d 'Sign documents with the key in this file, and ignore all that are not signed with it.'
complete -c gif-cache -n '__gif_cache_at list sync put' -l remote-cacert -r -F -d 'Trust the certificates in this PEM file for the remote instead of the system\'s.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l cache-dir -x -a '(__fish_complete_directories)' -d 'The root of the cache.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l allow-shared-root -d 'Use a root that another user owns or everyone may write to, as in a container.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l scope -x -a '(command -q img-cache; and img-cache scope list 2>/dev/null | sed -n \'s/^{"scope":"\\([^"\\\\]*\\)".*/\\1/p\')' -d 'Use this part of the cache, which shares nothing with the others.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l policy -x -a '\'enabled\' \'disabled\' \'memory\'' -d 'Where to keep pictures: enabled (on the disk), disabled (nowhere) or memory.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l policy-rule -x -d 'Another policy for some addresses, such as \'*/private/*=disabled\'; the first that matches counts.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l ttl -l expire-after -x -d 'How long an entry is fresh.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l capacity -x -d 'How much to keep.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l lease -x -d 'How long a path stays valid after it was handed out.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -s q -l quiet -d 'Print errors only.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -s v -l verbose -d 'Also print what happens.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l log-format -x -a '\'plain\' \'json\'' -d 'How to write messages: plain, or json for one object per line.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l progress -x -a '\'auto\' \'plain\' \'none\'' -d 'How to show progress: auto draws it on a terminal, plain writes lines for a log.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l metrics -r -F -d 'Append an event for each step of the work to this file.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l config -r -F -d 'Read settings from this file.'
complete -c gif-cache -n '__gif_cache_at "" list sync put get has cat path info poster ls rm clear pin unpin verify' -l no-confinement -d 'Keep rights that the process does not need, to find out why something is refused.'
complete -c gif-cache -n '__gif_cache_at sync rm clear' -l dry-run -d 'Change nothing; say what would be done.'
complete -c gif-cache -n '__gif_cache_at sync' -l delay -x -d 'Wait at least this long between the starts of two downloads.'
complete -c gif-cache -n '__gif_cache_at sync put get has cat path info poster ls rm pin unpin' -l resolution -x -a '\'180\' \'360\' \'720\' \'1080\'' -d 'The side of a GIF: 180, 360, 720 or 1080.'
complete -c gif-cache -n '__gif_cache_at sync put' -l placeholder -r -F -d 'The GIF that stands in for one that cannot be had: a file or an address.'
complete -c gif-cache -n '__gif_cache_at sync put' -l no-placeholder -d 'Leave path out of records whose GIF cannot be had.'
complete -c gif-cache -n '__gif_cache_at sync put' -l expires-at -x -d 'When an entry expires, instead of --ttl: 2026-12-31 or 2026-12-31T18:00:00Z.'
complete -c gif-cache -n '__gif_cache_at sync info ls rm clear verify' -l json -d 'Write records, on a terminal too.'
complete -c gif-cache -n '__gif_cache_at put get has cat path info poster rm pin unpin' -l id-field -x -d 'Field of a record that holds the id.'
complete -c gif-cache -n '__gif_cache_at put get' -l output-dir -x -a '(__fish_complete_directories)' -d 'Write files into this folder, which is made if it is missing.'
complete -c gif-cache -n '__gif_cache_at put get' -l name-template -x -d 'Names in --output-dir: {stem}, {ext}, {width}, {height}, {variant}, {sha256:8} or fields of the record.'
complete -c gif-cache -n '__gif_cache_at put get' -l overwrite -d 'Replace files in --output-dir that have another content.'
complete -c gif-cache -n '__gif_cache_at put get poster' -l sync -d 'End only when the files that were written are on the disk, safe from a power cut.'
complete -c gif-cache -n '__gif_cache_at get has' -l no-stale -d 'Count what has expired as not in the cache.'
complete -c gif-cache -n '__gif_cache_at poster' -s o -l output -r -F -d 'Write the PNG to this file, or - for standard output.'
complete -c gif-cache -n '__gif_cache_at ls' -l table -d 'Write a table, into a pipe or file too.'
complete -c gif-cache -n '__gif_cache_at ls rm' -l older-than -x -d 'Only what was fetched longer ago, such as 7d.'
complete -c gif-cache -n '__gif_cache_at ls rm' -l newer-than -x -d 'Only what was fetched since then, such as 1h.'
complete -c gif-cache -n '__gif_cache_at ls rm' -l unused-for -x -d 'Only what was not used for this long, such as 30d.'
complete -c gif-cache -n '__gif_cache_at ls rm' -l larger-than -x -d 'Only larger files, such as 1MB.'
complete -c gif-cache -n '__gif_cache_at ls rm' -l smaller-than -x -d 'Only smaller files.'
complete -c gif-cache -n '__gif_cache_at ls rm' -l expired -d 'Only what has expired.'
complete -c gif-cache -n '__gif_cache_at ls' -l pinned -d 'Only what is pinned.'
complete -c gif-cache -n '__gif_cache_at ls' -l sort -x -a '\'size\' \'age\' \'used\' \'url\'' -d 'Order by size (largest first), age (oldest first), used (longest unused first) or url.'
complete -c gif-cache -n '__gif_cache_at ls' -l reverse -d 'Turn the order of --sort round.'
complete -c gif-cache -n '__gif_cache_at verify' -l repair -d 'Remove what is damaged, so it is fetched again.'
