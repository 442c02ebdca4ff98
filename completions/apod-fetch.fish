# fish completion for apod-fetch, written by apod-fetch --generate complete-fish

# Whether the line is about one of these commands ('' for none), or at the second value of one of these options.
function __apod_fetch_at
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
            case --last --start-date --end-date --count --seed --search --media --format --feed-url --service -j --jobs --print --timeout --retries --cacert --netrc-file --cache-dir --scope --policy --policy-rule --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --log-format --progress --metrics --config
                set left 1
            case '-*'
        end
    end
    contains -- "$command" $argv
end

# Offers values for the last place of a list with commas.
function __apod_fetch_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l given (string match -r '^.*,' -- $typed)
    for value in $argv
        if not contains -- $value (string split , -- "$given")
            printf '%s\n' "$given$value"
        end
    end
end

complete -c apod-fetch -f
complete -c apod-fetch -s h -l help -d 'Show help'
complete -c apod-fetch -l version -d 'Show the version'
complete -c apod-fetch -l date -d 'today (the newest picture that is published), yesterday, a day (2024-02-03), a month (2024-02), a year (2024) or a range of these (2024-02-03..2024-02-09); repeatable, and without a value today.'
complete -c apod-fetch -l last -x -d 'This many of the newest days, the oldest first.'
complete -c apod-fetch -l start-date -x -d 'The first day of a range, or the month or year that it begins with.'
complete -c apod-fetch -l end-date -x -d 'The last day of the range, or the month or year that it ends with.'
complete -c apod-fetch -l count -x -d 'This many different days drawn at random.'
complete -c apod-fetch -l seed -x -d 'Draw the same days again (-v tells the seed of days that were drawn).'
complete -c apod-fetch -l search -x -d 'Only days that are kept and have all of these words in title or explanation, or words that begin with them; nothing is requested.'
complete -c apod-fetch -l require-today -d 'End with 75 until the picture of NASA\'s current day is published, instead of giving an older one.'
complete -c apod-fetch -l media -x -a '(__apod_fetch_list \'image\' \'video\' \'other\')' -d 'Leave out days without these: image, video, other; several with commas.'
complete -c apod-fetch -l no-copyright -d 'Leave out days that name a copyright holder.'
complete -c apod-fetch -l fallback-previous -d 'Give the latest image before a day that has none.'
complete -c apod-fetch -l raw -d 'Add NASA\'s own object as the field raw.'
complete -c apod-fetch -l format -x -a '\'json\' \'text\' \'markdown\' \'html\' \'atom\' \'url\'' -d 'json, text (to be read), markdown, html (a page), atom (a feed), or url (the picture\'s address only).'
complete -c apod-fetch -l feed-url -x -d 'The address at which a feed will be published, for --format atom.'
complete -c apod-fetch -l service -x -a '\'auto\' \'science\' \'api\'' -d 'Which service to ask: science (NASA\'s), api (a server of your own, APOD_API_URL), or auto.'
complete -c apod-fetch -l refresh -d 'Ask the server even if the cache has a fresh answer.'
complete -c apod-fetch -l offline -d 'Never open a connection: use what is in the cache.'
complete -c apod-fetch -s j -l jobs -x -d 'How many to work on at once.'
complete -c apod-fetch -l unordered -d 'Write each record as soon as it is done, not in the order of the input.'
complete -c apod-fetch -l fail-fast -d 'Stop at the first failure.'
complete -c apod-fetch -l strict -d 'Let the exit status reflect records that arrived with an error.'
complete -c apod-fetch -l retry-errors -d 'Retry records that failed in this tool with a temporary error.'
complete -c apod-fetch -s z -l null-data -d 'Lines of the input end with NUL, as those of find -print0 do.'
complete -c apod-fetch -l print -x -d 'Print this field of each record instead of the record; several with commas as columns.'
complete -c apod-fetch -s 0 -l null -d 'End what is printed with NUL instead of a line feed.'
complete -c apod-fetch -l pretty -d 'Indent the records.'
complete -c apod-fetch -l timeout -x -d 'How long one request may take in all, retries included.'
complete -c apod-fetch -l retries -x -d 'How often to retry a request that failed temporarily.'
complete -c apod-fetch -l allow-private -d 'Allow private, loopback and reserved addresses: all, or these blocks.'
complete -c apod-fetch -l cacert -r -F -d 'Trust the certificates in this PEM file instead of the system\'s.'
complete -c apod-fetch -l netrc -d 'Take user names and passwords from ~/.netrc.'
complete -c apod-fetch -l netrc-file -r -F -d 'Take user names and passwords from this file.'
complete -c apod-fetch -l cache-dir -x -a '(__fish_complete_directories)' -d 'The root of the cache.'
complete -c apod-fetch -l allow-shared-root -d 'Use a root that another user owns or everyone may write to, as in a container.'
complete -c apod-fetch -l scope -x -a '(command -q img-cache; and img-cache scope list 2>/dev/null | sed -n \'s/^{"scope":"\\([^"\\\\]*\\)".*/\\1/p\')' -d 'Use this part of the cache, which shares nothing with the others.'
complete -c apod-fetch -l policy -x -a '\'enabled\' \'disabled\' \'memory\'' -d 'Where to keep pictures: enabled (on the disk), disabled (nowhere) or memory.'
complete -c apod-fetch -l policy-rule -x -d 'Another policy for some addresses, such as \'*/private/*=disabled\'; the first that matches counts.'
complete -c apod-fetch -l remote -x -d 'Share pictures and variants with other machines: http, https, redis or file.'
complete -c apod-fetch -l remote-mode -x -a '\'read\' \'write\' \'both\'' -d 'What to do with the remote: read, write or both.'
complete -c apod-fetch -l remote-scopes -x -d 'The scopes that are shared; * for all.'
complete -c apod-fetch -l remote-timeout -x -d 'How long to wait for a connection to the remote.'
complete -c apod-fetch -l remote-wait -x -d 'How long to wait at the end of a run until everything is handed over.'
complete -c apod-fetch -l remote-header-file -r -F -d 'Send the headers in this file to the remote: \'Name: value\', one per line.'
complete -c apod-fetch -l remote-key-file -r -F -d 'Sign documents with the key in this file, and ignore all that are not signed with it.'
complete -c apod-fetch -l remote-cacert -r -F -d 'Trust the certificates in this PEM file for the remote instead of the system\'s.'
complete -c apod-fetch -s q -l quiet -d 'Print errors only.'
complete -c apod-fetch -s v -l verbose -d 'Also print what happens.'
complete -c apod-fetch -l log-format -x -a '\'plain\' \'json\'' -d 'How to write messages: plain, or json for one object per line.'
complete -c apod-fetch -l progress -x -a '\'auto\' \'plain\' \'none\'' -d 'How to show progress: auto draws it on a terminal, plain writes lines for a log.'
complete -c apod-fetch -l metrics -r -F -d 'Append an event for each step of the work to this file.'
complete -c apod-fetch -l config -r -F -d 'Read settings from this file.'
complete -c apod-fetch -l no-confinement -d 'Keep rights that the process does not need, to find out why something is refused.'
