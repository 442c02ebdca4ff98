# fish completion for img-downsample, written by img-downsample --generate complete-fish

# Whether the line is about one of these commands ('' for none), or at the second value of one of these options.
function __img_downsample_at
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
            case --variant --width --height --fit --aspect-ratio --scale --content-mode --gravity --focus --region --format --quality --effort --chroma --fit-bytes --gradient --corner-radius --background --rotate --frame --fps --quality-decode --decoder -o --output --output-dir --name-template --allow-path --fallback-message --fallback-icon --theme --font --max-bytes --max-pixels --max-frames --max-animation-pixels --max-memory --max-seconds -j --jobs --print --remote --remote-mode --remote-scopes --remote-timeout --remote-wait --remote-header-file --remote-key-file --remote-cacert --cache-dir --scope --policy --policy-rule --ttl --expire-after --capacity --lease --log-format --progress --metrics --config --title --theme --page-size --style --base-url --title-field --date-field --text-field --credit-field --licence-field --link-field
                set left 1
            case '-*'
            case '*'
                set -l longer (string join ' ' $command $word)
                if contains -- $longer gallery styles
                    set command $longer
                end
        end
    end
    contains -- "$command" $argv
end

# Offers values for the last place of a list with commas.
function __img_downsample_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l given (string match -r '^.*,' -- $typed)
    for value in $argv
        if not contains -- $value (string split , -- "$given")
            printf '%s\n' "$given$value"
        end
    end
end

complete -c img-downsample -f
complete -c img-downsample -s h -l help -d 'Show help'
complete -c img-downsample -n '__img_downsample_at ""' -l version -d 'Show the version'
complete -c img-downsample -n '__img_downsample_at ""' -a gallery -d 'Make pages that show the pictures, for any browser.'
complete -c img-downsample -n '__img_downsample_at ""' -a styles -d 'List the styles of cards, and where each comes from.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -F
complete -c img-downsample -n '__img_downsample_at ""' -l variant -x -a '(__img_downsample_list \'pager\' \'overlay\' \'fit\' \'custom\' \'launch-card\' \'detail-view\' \'rocket-card\' \'preference-view\')' -d 'Variants and styles to make, with commas between them.'
complete -c img-downsample -n '__img_downsample_at ""' -l width -x -d 'Maximum width; several with commas, such as 320,640,1280, make variants 320w, 640w and 1280w.'
complete -c img-downsample -n '__img_downsample_at ""' -l height -x -d 'Maximum height.'
complete -c img-downsample -n '__img_downsample_at ""' -l fit -x -d 'Fit into this box of points, such as 300x200 (rounded up; see --exact).'
complete -c img-downsample -n '__img_downsample_at ""' -l aspect-ratio -x -d 'Width to height, such as 16:9, for the side that is not given.'
complete -c img-downsample -n '__img_downsample_at ""' -l scale -x -d 'Pixels for each point of --fit and of styles; several, such as 1,2,3, make several sizes.'
complete -c img-downsample -n '__img_downsample_at ""' -l exact -d 'Do not round --fit.'
complete -c img-downsample -n '__img_downsample_at ""' -l enlarge -l no-enlarge -d 'Make small pictures larger; by default only for styles, which --no-enlarge stops.'
complete -c img-downsample -n '__img_downsample_at ""' -l content-mode -x -a '\'fit\' \'fill\' \'force\' \'contain\'' -d 'fit (show all), fill (crop), force (stretch) or contain (show all on a --background).'
complete -c img-downsample -n '__img_downsample_at ""' -l gravity -x -a '\'center\' \'north\' \'northeast\' \'east\' \'southeast\' \'south\' \'southwest\' \'west\' \'northwest\' \'attention\' \'entropy\'' -d 'What fill keeps: center, a side or corner, attention or entropy.'
complete -c img-downsample -n '__img_downsample_at ""' -l focus -x -d 'The point that fill keeps near the middle, such as 40%,30%.'
complete -c img-downsample -n '__img_downsample_at ""' -l region -x -d 'Use this part of the upright picture only, in pixels or percent.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l format -x -a '\'auto\' \'jpeg\' \'png\' \'gif\' \'webp\' \'avif\'' -d 'auto (as the source), jpeg, png, webp, avif or gif.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l quality -x -d 'The quality of JPEG, WebP and AVIF, 1 to 100.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l effort -x -d 'The time to spend on smaller files: 0 (least) to 9 (smallest).'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l chroma -x -a '\'auto\' \'420\' \'444\'' -d 'auto (as the picture needs it), 420 (halve colour detail) or 444 (keep it).'
complete -c img-downsample -n '__img_downsample_at ""' -l fit-bytes -x -d 'Lower the quality until the file fits, such as 100KB.'
complete -c img-downsample -n '__img_downsample_at ""' -l progressive -d 'Write JPEG in scans, PNG interlaced.'
complete -c img-downsample -n '__img_downsample_at ""' -l gradient -x -a '\'none\' \'standard\' \'enhanced\'' -d 'Darken towards the bottom: standard, enhanced (up to the middle) or none.'
complete -c img-downsample -n '__img_downsample_at ""' -l corner-radius -x -d 'Round the corners: points for styles, else pixels.'
complete -c img-downsample -n '__img_downsample_at ""' -l background -x -d 'What lies under transparent pixels in a format without transparency.'
complete -c img-downsample -n '__img_downsample_at ""' -l rotate -x -a '\'90\' \'180\' \'270\'' -d 'Turn clockwise by 90, 180 or 270 degrees, before anything is measured.'
complete -c img-downsample -n '__img_downsample_at ""' -l linear -d 'Mix colours in linear light.'
complete -c img-downsample -n '__img_downsample_at ""' -l keep-profile -d 'Keep colours in their profile and embed it, instead of sRGB.'
complete -c img-downsample -n '__img_downsample_at ""' -l keep-metadata -d 'Keep EXIF and XMP, including where the picture was taken.'
complete -c img-downsample -n '__img_downsample_at ""' -l keep-copyright -d 'Keep copyright and artist only.'
complete -c img-downsample -n '__img_downsample_at ""' -l poster -d 'Take the first frame of an animation only.'
complete -c img-downsample -n '__img_downsample_at ""' -l frame -x -d 'Take this frame of an animation only, counted from 0.'
complete -c img-downsample -n '__img_downsample_at ""' -l fps -x -d 'Show at most so many frames of an animation in a second; the others are left out.'
complete -c img-downsample -n '__img_downsample_at ""' -l print-hash -d 'Add the dominant colour and a ThumbHash to each variant.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l quality-decode -x -a '\'auto\' \'fast\' \'full\'' -d 'auto (as the output shows it), fast (leave out more) or full (all).'
complete -c img-downsample -n '__img_downsample_at ""' -l decoder -x -a '\'auto\' \'libjpeg\'' -d 'What decodes JPEGs: auto (our own decoder, if it can), or libjpeg.'
complete -c img-downsample -n '__img_downsample_at ""' -l allow-truncated -d 'Use what there is of pictures that end too early.'
complete -c img-downsample -n '__img_downsample_at ""' -l allow-damaged -d 'Use what can be read of damaged JPEGs and GIFs, and of truncated pictures.'
complete -c img-downsample -n '__img_downsample_at ""' -s o -l output -r -F -d 'Write the one picture to this file; - is standard output.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l output-dir -x -a '(__fish_complete_directories)' -d 'Write files into this folder, which is made if it is missing.'
complete -c img-downsample -n '__img_downsample_at ""' -l name-template -x -d 'Names in --output-dir: {stem}, {ext}, {width}, {height}, {variant}, {sha256:8} or fields of the record.'
complete -c img-downsample -n '__img_downsample_at ""' -l sync -d 'End only when the files that were written are on the disk, safe from a power cut.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l allow-path -x -a '(__fish_complete_directories)' -d 'Let records and lines name files below this folder too; repeatable.'
complete -c img-downsample -n '__img_downsample_at ""' -l progressive-records -d 'Write a record each time a variant is done, the picture\'s thumbnail first.'
complete -c img-downsample -n '__img_downsample_at ""' -l fallback -d 'Draw a placeholder for a record without a picture.'
complete -c img-downsample -n '__img_downsample_at ""' -l fallback-message -x -d 'What the placeholder says; fields of the record in braces, as in --name-template.'
complete -c img-downsample -n '__img_downsample_at ""' -l fallback-icon -r -F -d 'Draw this picture in place of the placeholder\'s icon.'
complete -c img-downsample -n '__img_downsample_at ""' -l theme -x -a '\'light\' \'dark\'' -d 'The placeholder\'s colours: light or dark.'
complete -c img-downsample -n '__img_downsample_at ""' -l font -r -F -d 'The placeholder\'s font: a file or a family.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l max-bytes -x -d 'Refuse pictures with more bytes.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l max-pixels -x -d 'Refuse pictures with more pixels.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l max-frames -x -d 'Refuse animations with more frames.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l max-animation-pixels -x -d 'Refuse animations with more pixels times frames.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l max-memory -x -d 'Memory for all pictures that are worked on at once.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l max-seconds -x -d 'Give up on a picture after this many seconds.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -s j -l jobs -x -d 'How many to work on at once.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l unordered -d 'Write each record as soon as it is done, not in the order of the input.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l fail-fast -d 'Stop at the first failure.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l strict -d 'Let the exit status reflect records that arrived with an error.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l retry-errors -d 'Retry records that failed in this tool with a temporary error.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -s z -l null-data -d 'Lines of the input end with NUL, as those of find -print0 do.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l print -x -d 'Print this field of each record instead of the record; several with commas as columns.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -s 0 -l null -d 'End what is printed with NUL instead of a line feed.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l pretty -d 'Indent the records.'
complete -c img-downsample -n '__img_downsample_at ""' -l remote -x -d 'Share pictures and variants with other machines: http, https, redis or file.'
complete -c img-downsample -n '__img_downsample_at ""' -l remote-mode -x -a '\'read\' \'write\' \'both\'' -d 'What to do with the remote: read, write or both.'
complete -c img-downsample -n '__img_downsample_at ""' -l remote-scopes -x -d 'The scopes that are shared; * for all.'
complete -c img-downsample -n '__img_downsample_at ""' -l remote-timeout -x -d 'How long to wait for a connection to the remote.'
complete -c img-downsample -n '__img_downsample_at ""' -l remote-wait -x -d 'How long to wait at the end of a run until everything is handed over.'
complete -c img-downsample -n '__img_downsample_at ""' -l remote-header-file -r -F -d 'Send the headers in this file to the remote: \'Name: value\', one per line.'
complete -c img-downsample -n '__img_downsample_at ""' -l remote-key-file -r -F -d 'Sign documents with the key in this file, and ignore all that are not signed with it.'
complete -c img-downsample -n '__img_downsample_at ""' -l remote-cacert -r -F -d 'Trust the certificates in this PEM file for the remote instead of the system\'s.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l cache-dir -x -a '(__fish_complete_directories)' -d 'The root of the cache.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l allow-shared-root -d 'Use a root that another user owns or everyone may write to, as in a container.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l scope -x -a '(command -q img-cache; and img-cache scope list 2>/dev/null | sed -n \'s/^{"scope":"\\([^"\\\\]*\\)".*/\\1/p\')' -d 'Use this part of the cache, which shares nothing with the others.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l policy -x -a '\'enabled\' \'disabled\' \'memory\'' -d 'Where to keep pictures: enabled (on the disk), disabled (nowhere) or memory.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l policy-rule -x -d 'Another policy for some addresses, such as \'*/private/*=disabled\'; the first that matches counts.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l ttl -l expire-after -x -d 'How long an entry is fresh.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l capacity -x -d 'How much to keep.'
complete -c img-downsample -n '__img_downsample_at "" gallery' -l lease -x -d 'How long a path stays valid after it was handed out.'
complete -c img-downsample -n '__img_downsample_at "" gallery styles' -s q -l quiet -d 'Print errors only.'
complete -c img-downsample -n '__img_downsample_at "" gallery styles' -s v -l verbose -d 'Also print what happens.'
complete -c img-downsample -n '__img_downsample_at "" gallery styles' -l log-format -x -a '\'plain\' \'json\'' -d 'How to write messages: plain, or json for one object per line.'
complete -c img-downsample -n '__img_downsample_at "" gallery styles' -l progress -x -a '\'auto\' \'plain\' \'none\'' -d 'How to show progress: auto draws it on a terminal, plain writes lines for a log.'
complete -c img-downsample -n '__img_downsample_at "" gallery styles' -l metrics -r -F -d 'Append an event for each step of the work to this file.'
complete -c img-downsample -n '__img_downsample_at "" gallery styles' -l config -r -F -d 'Read settings from this file.'
complete -c img-downsample -n '__img_downsample_at "" gallery styles' -l no-confinement -d 'Keep rights that the process does not need, to find out why something is refused.'
complete -c img-downsample -n '__img_downsample_at gallery' -l title -x -d 'What the gallery is called.'
complete -c img-downsample -n '__img_downsample_at gallery' -l theme -x -a '\'auto\' \'light\' \'dark\'' -d 'Colours: auto (as the reader\'s system), light or dark.'
complete -c img-downsample -n '__img_downsample_at gallery' -l page-size -x -d 'Pictures on a page.'
complete -c img-downsample -n '__img_downsample_at gallery' -l style -r -F -d 'A style sheet of your own, on top of the gallery\'s.'
complete -c img-downsample -n '__img_downsample_at gallery' -l base-url -x -d 'Where the folder will be published: for the feed and for previews.'
complete -c img-downsample -n '__img_downsample_at gallery' -l public -d 'Add what other sites need to preview a link.'
complete -c img-downsample -n '__img_downsample_at gallery' -l originals -d 'Copy the originals, too, as they are, with all that is in them.'
complete -c img-downsample -n '__img_downsample_at gallery' -l prune -d 'Drop pictures that this run does not bring, and their files.'
complete -c img-downsample -n '__img_downsample_at gallery' -l title-field -x -d 'Where a record\'s title stands.'
complete -c img-downsample -n '__img_downsample_at gallery' -l date-field -x -d 'Where a record\'s date stands.'
complete -c img-downsample -n '__img_downsample_at gallery' -l text-field -x -d 'Where a record\'s text stands.'
complete -c img-downsample -n '__img_downsample_at gallery' -l credit-field -x -d 'Where a record\'s credit stands.'
complete -c img-downsample -n '__img_downsample_at gallery' -l licence-field -x -d 'Where a record\'s licence stands.'
complete -c img-downsample -n '__img_downsample_at gallery' -l link-field -x -d 'Where a record\'s link stands.'
complete -c img-downsample -n '__img_downsample_at styles' -l json -d 'Write records, on a terminal too.'
