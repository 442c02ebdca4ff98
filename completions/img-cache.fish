# fish completion for img-cache, written by img-cache --generate complete-fish

# Whether the line is about one of these commands ('' for none), or at the second value of one of these options.
function __img_cache_at
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
            case --skip-made --url-field --key --key-field --key-ignore-query --media --expires-at --expiry-field --output-dir --name-template -j --jobs --print --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --max-bytes --negative-ttl --timeout --retries --rate --jobs-per-host --cacert --header --header-file --bearer-file --netrc-file --cache-dir --scope --policy --policy-rule --ttl --expire-after --capacity --lease --log-format --progress --metrics --config --delay --sort --older-than --newer-than --unused-for --larger-than --smaller-than --host --match --kind --format -o --output --service --resolution --quality --effort --allow-path --max-pixels --max-frames --max-animation-pixels --max-memory --max-seconds
                set left 1
            case --header-for --bearer-for
                set left 2
            case '-*'
            case '*'
                set -l longer (string join ' ' $command $word)
                if contains -- $longer put prefetch explain get has cat path ls info rm pin unpin clean verify sync scope 'scope list' 'scope current' 'scope switch' 'scope purge' reset stats settings
                    set command $longer
                end
        end
    end
    if test $left = 1; and contains -- $option --header-for --bearer-for
        contains -- $option $argv
        return
    end
    contains -- "$command" $argv
end

# Offers values for the last place of a list with commas.
function __img_cache_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l given (string match -r '^.*,' -- $typed)
    for value in $argv
        if not contains -- $value (string split , -- "$given")
            printf '%s\n' "$given$value"
        end
    end
end

complete -c img-cache -f
complete -c img-cache -s h -l help -d 'Show help'
complete -c img-cache -n '__img_cache_at ""' -l version -d 'Show the version'
complete -c img-cache -n '__img_cache_at ""' -a put -d 'Download pictures, or take files, and keep them.'
complete -c img-cache -n '__img_cache_at ""' -a prefetch -d 'Download pictures ahead of their use, giving way to everything else.'
complete -c img-cache -n '__img_cache_at ""' -a explain -d 'Say what put would do now, and why, without doing it.'
complete -c img-cache -n '__img_cache_at ""' -a get -d 'Say where pictures are, without the network.'
complete -c img-cache -n '__img_cache_at ""' -a has -d 'Tell by the exit status whether pictures are in the cache: 0 all, 1 not all.'
complete -c img-cache -n '__img_cache_at ""' -a cat -d 'Write the bytes of pictures to standard output.'
complete -c img-cache -n '__img_cache_at ""' -a path -d 'Print where pictures are, one path per line.'
complete -c img-cache -n '__img_cache_at ""' -a ls -d 'List what is in the scope: a table on a terminal, else a record for each picture.'
complete -c img-cache -n '__img_cache_at ""' -a info -d 'Say all that is known of pictures, without the network.'
complete -c img-cache -n '__img_cache_at ""' -a rm -d 'Remove pictures and all that was made from them.'
complete -c img-cache -n '__img_cache_at ""' -a pin -d 'Keep pictures from being trimmed or cleaned away.'
complete -c img-cache -n '__img_cache_at ""' -a unpin -d 'Let pictures be trimmed and cleaned away again.'
complete -c img-cache -n '__img_cache_at ""' -a clean -d 'Remove what has expired, what is over the capacity, and what killed runs have left.'
complete -c img-cache -n '__img_cache_at ""' -a verify -d 'Check the index and the files against each other; status 1 if something is wrong.'
complete -c img-cache -n '__img_cache_at ""' -a sync -d 'Copy the cache to the remote, and copy from the remote what other machines have pushed.'
complete -c img-cache -n '__img_cache_at ""' -a scope -d 'Manage scopes: parts of the cache that share nothing.'
complete -c img-cache -n '__img_cache_at ""' -a reset -d 'Empty the whole cache, on disk and in memory: all scopes, counters and metadata.'
complete -c img-cache -n '__img_cache_at ""' -a stats -d 'Say what the cache holds and what it has done.'
complete -c img-cache -n '__img_cache_at ""' -a settings -d 'Show every setting, its value, and where it comes from.'
complete -c img-cache -n '__img_cache_at scope' -a list -d 'List all scopes with what they hold; a star marks the current one.'
complete -c img-cache -n '__img_cache_at scope' -a current -d 'Print the name of the current scope.'
complete -c img-cache -n '__img_cache_at scope' -a switch -d 'Make another scope the current one, and empty the one that was.'
complete -c img-cache -n '__img_cache_at scope' -a purge -d 'Empty a scope: the current one if none is named.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path info rm pin unpin' -F -a '(command -q img-cache; and img-cache ls --print cache.key 2>/dev/null)'
complete -c img-cache -n '__img_cache_at "scope switch" "scope purge"' -a '(command -q img-cache; and img-cache scope list 2>/dev/null | sed -n \'s/^{"scope":"\\([^"\\\\]*\\)".*/\\1/p\')'
complete -c img-cache -n '__img_cache_at put' -l incremental -d 'Also write a record for each scan or pass of a picture on its way, with a preview.'
complete -c img-cache -n '__img_cache_at put prefetch' -l no-degrade -d 'Fail (75) if the best address fails for a time, instead of taking the next one.'
complete -c img-cache -n '__img_cache_at put' -l skip-made -x -a '(__fish_complete_directories)' -d 'Fetch no picture whose files from img-downsample --output-dir DIR are there, unchanged.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path info rm pin unpin' -l url-field -x -d 'Fields of a record with addresses of the picture, the best first, such as hdurl,image.url.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path info rm pin unpin' -l key -x -d 'Name to use as the key (key:NAME) instead of the address; for a single picture.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path info rm pin unpin' -l key-field -x -d 'Field of a record that holds the name to use as the key instead of the address.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path info rm pin unpin' -l key-ignore-query -x -d 'Query parameters that make no difference to the picture, with commas or blanks between them.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l media -x -d 'What to take: image, or video for movies (mp4, mov) as well.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l expires-at -x -d 'When an entry expires, instead of --ttl: 2026-12-31 or 2026-12-31T18:00:00Z.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l expiry-field -x -d 'Fields of a record that say when its picture expires: a time such as 7d, or a date.'
complete -c img-cache -n '__img_cache_at put get' -l output-dir -x -a '(__fish_complete_directories)' -d 'Write files into this folder, which is made if it is missing.'
complete -c img-cache -n '__img_cache_at put get' -l name-template -x -d 'Names in --output-dir: {stem}, {ext}, {width}, {height}, {variant}, {sha256:8} or fields of the record.'
complete -c img-cache -n '__img_cache_at put get' -l overwrite -d 'Replace files in --output-dir that have another content.'
complete -c img-cache -n '__img_cache_at put get stats settings' -l sync -d 'End only when the files that were written are on the disk, safe from a power cut.'
complete -c img-cache -n '__img_cache_at put prefetch explain get info pin unpin verify sync settings' -s j -l jobs -x -d 'How many to work on at once.'
complete -c img-cache -n '__img_cache_at put prefetch explain get info pin unpin' -l unordered -d 'Write each record as soon as it is done, not in the order of the input.'
complete -c img-cache -n '__img_cache_at put prefetch explain get info pin unpin' -l fail-fast -d 'Stop at the first failure.'
complete -c img-cache -n '__img_cache_at put prefetch explain get info pin unpin' -l strict -d 'Let the exit status reflect records that arrived with an error.'
complete -c img-cache -n '__img_cache_at put prefetch explain get info pin unpin' -l retry-errors -d 'Retry records that failed in this tool with a temporary error.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path info rm pin unpin' -s z -l null-data -d 'Lines of the input end with NUL, as those of find -print0 do.'
complete -c img-cache -n '__img_cache_at put prefetch explain get ls info pin unpin' -l print -x -d 'Print this field of each record instead of the record; several with commas as columns.'
complete -c img-cache -n '__img_cache_at put prefetch explain get path ls info pin unpin' -s 0 -l null -d 'End what is printed with NUL instead of a line feed.'
complete -c img-cache -n '__img_cache_at put prefetch explain get ls info pin unpin' -l pretty -d 'Indent the records.'
complete -c img-cache -n '__img_cache_at put prefetch explain sync settings' -l remote -x -d 'Share pictures and variants with other machines: http, https, redis or file.'
complete -c img-cache -n '__img_cache_at put prefetch explain sync settings' -l remote-mode -x -a '\'read\' \'write\' \'both\'' -d 'What to do with the remote: read, write or both.'
complete -c img-cache -n '__img_cache_at put prefetch explain sync settings' -l remote-scopes -x -d 'The scopes that are shared; * for all.'
complete -c img-cache -n '__img_cache_at put prefetch explain sync settings' -l remote-timeout -x -d 'How long to wait for a connection to the remote.'
complete -c img-cache -n '__img_cache_at put prefetch explain sync settings' -l remote-wait -x -d 'How long to wait at the end of a run until everything is handed over.'
complete -c img-cache -n '__img_cache_at put prefetch explain sync settings' -l remote-header-file -r -F -d 'Send the headers in this file to the remote: \'Name: value\', one per line.'
complete -c img-cache -n '__img_cache_at put prefetch explain sync settings' -l remote-key-file -r -F -d 'Sign documents with the key in this file, and ignore all that are not signed with it.'
complete -c img-cache -n '__img_cache_at put prefetch explain sync settings' -l remote-cacert -r -F -d 'Trust the certificates in this PEM file for the remote instead of the system\'s.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l offline -d 'Never open a connection: use what is in the cache.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l refresh -d 'Ask the server even if the cache has a fresh answer.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l stale -l no-stale -d 'Use an expired picture if its server cannot be reached, or do not.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l max-bytes -x -d 'Refuse pictures with more bytes.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l negative-ttl -x -d 'How long to remember a definite failure; 0 for not at all.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l respect-cache-control -d 'Let Cache-Control and Expires shorten how long a picture is fresh.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l timeout -x -d 'How long one request may take in all, retries included.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l retries -x -d 'How often to retry a request that failed temporarily.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l rate -x -d 'Download no more than this in a second.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l jobs-per-host -x -d 'How many downloads to run at once from one host.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l allow-private -d 'Allow private, loopback and reserved addresses: all, or these blocks.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l allow-insecure-redirects -d 'Follow redirects from https to http.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l cacert -r -F -d 'Trust the certificates in this PEM file instead of the system\'s.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l header -x -d 'Send \'Name: value\' to the one server of the arguments.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l header-for -x -d 'Send \'Name: value\' to this server alone.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l header-file -r -F -d 'Send the headers in this file: one per line, each after its origin if there are several servers.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l bearer-file -r -F -d 'Send the token in this file to the one server of the arguments.'
complete -c img-cache -n '__img_cache_at put prefetch explain' -l bearer-for -x -d 'Send the token in a file to this server alone.'
complete -c img-cache -n '__img_cache_at --bearer-for' -F
complete -c img-cache -n '__img_cache_at put prefetch explain' -l netrc -d 'Take user names and passwords from ~/.netrc.'
complete -c img-cache -n '__img_cache_at put prefetch explain settings' -l netrc-file -r -F -d 'Take user names and passwords from this file.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l cache-dir -x -a '(__fish_complete_directories)' -d 'The root of the cache.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l allow-shared-root -d 'Use a root that another user owns or everyone may write to, as in a container.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l scope -x -a '(command -q img-cache; and img-cache scope list 2>/dev/null | sed -n \'s/^{"scope":"\\([^"\\\\]*\\)".*/\\1/p\')' -d 'Use this part of the cache, which shares nothing with the others.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l policy -x -a '\'enabled\' \'disabled\' \'memory\'' -d 'Where to keep pictures: enabled (on the disk), disabled (nowhere) or memory.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l policy-rule -x -d 'Another policy for some addresses, such as \'*/private/*=disabled\'; the first that matches counts.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path ls info rm pin unpin clean verify sync stats settings' -l ttl -l expire-after -x -d 'How long an entry is fresh.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path ls info rm pin unpin clean verify sync stats settings' -l capacity -x -d 'How much to keep.'
complete -c img-cache -n '__img_cache_at put prefetch explain get has cat path ls info rm pin unpin clean verify sync stats settings' -l lease -x -d 'How long a path stays valid after it was handed out.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -s q -l quiet -d 'Print errors only.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -s v -l verbose -d 'Also print what happens.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l log-format -x -a '\'plain\' \'json\'' -d 'How to write messages: plain, or json for one object per line.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l progress -x -a '\'auto\' \'plain\' \'none\'' -d 'How to show progress: auto draws it on a terminal, plain writes lines for a log.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l metrics -r -F -d 'Append an event for each step of the work to this file.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l config -r -F -d 'Read settings from this file.'
complete -c img-cache -n '__img_cache_at "" put prefetch explain get has cat path ls info rm pin unpin clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l no-confinement -d 'Keep rights that the process does not need, to find out why something is refused.'
complete -c img-cache -n '__img_cache_at prefetch' -l delay -x -d 'Wait at least this long between the starts of two downloads.'
complete -c img-cache -n '__img_cache_at explain ls info rm clean verify sync "scope list" "scope current" "scope switch" "scope purge" reset stats settings' -l json -d 'Write records, on a terminal too.'
complete -c img-cache -n '__img_cache_at get has' -l no-stale -d 'Count what has expired as not in the cache.'
complete -c img-cache -n '__img_cache_at ls' -l variants -d 'List shrunk variants too.'
complete -c img-cache -n '__img_cache_at ls' -l all-scopes -d 'List all scopes.'
complete -c img-cache -n '__img_cache_at ls' -l sort -x -a '\'size\' \'age\' \'used\' \'url\'' -d 'Order by size (largest first), age (oldest first), used (longest unused first) or url.'
complete -c img-cache -n '__img_cache_at ls' -l reverse -d 'Turn the order of --sort round.'
complete -c img-cache -n '__img_cache_at ls' -l table -d 'Write a table, into a pipe or file too.'
complete -c img-cache -n '__img_cache_at ls' -l no-trunc -d 'Do not shorten what is too wide for the terminal.'
complete -c img-cache -n '__img_cache_at ls rm' -l older-than -x -d 'Only what was fetched longer ago, such as 7d.'
complete -c img-cache -n '__img_cache_at ls rm' -l newer-than -x -d 'Only what was fetched since then, such as 1h.'
complete -c img-cache -n '__img_cache_at ls rm' -l unused-for -x -d 'Only what was not used for this long, such as 30d.'
complete -c img-cache -n '__img_cache_at ls rm' -l larger-than -x -d 'Only larger files, such as 1MB.'
complete -c img-cache -n '__img_cache_at ls rm' -l smaller-than -x -d 'Only smaller files.'
complete -c img-cache -n '__img_cache_at ls rm' -l expired -d 'Only what has expired.'
complete -c img-cache -n '__img_cache_at ls' -l pinned -d 'Only what is pinned.'
complete -c img-cache -n '__img_cache_at ls rm' -l host -x -d 'Only pictures of this host; .example.org takes those below too.'
complete -c img-cache -n '__img_cache_at ls rm' -l match -x -d 'Only keys and addresses that contain this, or that a glob with * and ? matches.'
complete -c img-cache -n '__img_cache_at ls rm' -l kind -x -a '\'original\' \'placeholder\' \'variant\' \'superseded\'' -d 'original, variant, placeholder (of a GIF), or superseded: replaced while it was in use.'
complete -c img-cache -n '__img_cache_at info' -l verify -d 'Read each file, and compare its SHA-256.'
complete -c img-cache -n '__img_cache_at rm clean reset' -l dry-run -d 'Change nothing; say what would go.'
complete -c img-cache -n '__img_cache_at verify' -l repair -d 'Mend what is wrong: remove what is damaged, so it is fetched again.'
complete -c img-cache -n '__img_cache_at sync' -l push -d 'Only hand over what the remote lacks.'
complete -c img-cache -n '__img_cache_at sync' -l pull -d 'Only take in what the remote lists and this root lacks.'
complete -c img-cache -n '__img_cache_at "scope switch"' -l keep -d 'Keep what the old scope holds.'
complete -c img-cache -n '__img_cache_at "scope switch"' -l new -d 'Make a new scope, although its name differs little from another one.'
complete -c img-cache -n '__img_cache_at "scope purge"' -l wait -d 'End only when all files are gone.'
complete -c img-cache -n '__img_cache_at stats' -l format -x -a '\'text\' \'json\' \'prometheus\'' -d 'text, json or prometheus.'
complete -c img-cache -n '__img_cache_at stats' -l zero -d 'Begin to count anew after this.'
complete -c img-cache -n '__img_cache_at stats' -s o -l output -r -F -d 'Write to this file instead, which is replaced in one step.'
complete -c img-cache -n '__img_cache_at settings' -l service -x -a '\'auto\' \'science\' \'api\'' -d 'Which service to ask: science (NASA\'s), api (a server of your own, APOD_API_URL), or auto.'
complete -c img-cache -n '__img_cache_at settings' -l resolution -x -a '\'180\' \'360\' \'720\' \'1080\'' -d 'The side of a GIF: 180, 360, 720 or 1080.'
complete -c img-cache -n '__img_cache_at settings' -l quality -x -d 'The quality of JPEG, WebP and AVIF, 1 to 100.'
complete -c img-cache -n '__img_cache_at settings' -l effort -x -d 'The time to spend on smaller files: 0 (least) to 9 (smallest).'
complete -c img-cache -n '__img_cache_at settings' -l allow-path -x -a '(__fish_complete_directories)' -d 'Let records and lines name files below this folder too; repeatable.'
complete -c img-cache -n '__img_cache_at settings' -l max-pixels -x -d 'Refuse pictures with more pixels.'
complete -c img-cache -n '__img_cache_at settings' -l max-frames -x -d 'Refuse animations with more frames.'
complete -c img-cache -n '__img_cache_at settings' -l max-animation-pixels -x -d 'Refuse animations with more pixels times frames.'
complete -c img-cache -n '__img_cache_at settings' -l max-memory -x -d 'Memory for all pictures that are worked on at once.'
complete -c img-cache -n '__img_cache_at settings' -l max-seconds -x -d 'Give up on a picture after this many seconds.'
