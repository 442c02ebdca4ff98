import Commands
import GIFs
import HTTP
import Options
import Store

extension Tool {
    public static let gifCache = Tool(
        Command(
            "gif-cache", summary: "Cache the exercise GIFs of ExerciseDB.",
            details: """
                GIFs are identified by the exercise's id and the resolution, and stored in the cache of img-cache. \
                EXERCISEDB_API_URL is the address of the service; EXERCISEDB_API_KEY or EXERCISEDB_API_KEY_FILE has \
                the key. Only list, mirror and put use the service. Exercises are named by arguments, or on standard \
                input by records or by lines with an id or a key (exercisedb:0001@180). img-cache cleans, counts and \
                explains the whole cache.
                """,
            examples: [
                "gif-cache mirror > exercises.ndjson",
                "gif-cache list --body-part back | gif-cache put",
                "gif-cache put 0001 0002",
                "gif-cache put < exercises.ndjson | img-downsample --width 96 --format png",
                "gif-cache get 0001 --print path",
                "gif-cache poster 0001 --print poster.path",
                "gif-cache info 0001 curl.gif",
                "gif-cache rm --unused-for 30d",
            ],
            subcommands: [
                .exercises, .mirror, .put, .get, .has, .cat, .path, .info, .poster, .list, .remove, .pin,
                .unpin, .verify,
            ], pointers: ["clean", "stats", "explain", "scope", "settings"].map { "img-cache \($0)" },
            successors: [
                "sync": "did you mean mirror?", "clear": "see gif-cache rm --help", "size": "see img-cache stats",
            ]),
        exitStatus: """
            0 all done, 1 not in the cache, 64 usage, 65 not a GIF,
            66 no such file, 69 no such exercise, 73/74 cannot write,
            75 try again later (or the quota is used up),
            77 not allowed (a key is missing or wrong), 78 configuration.
            """,
        libraries: { [CurlTransport.libraryVersion, indexLibraryVersion] },
        exercises: { field, context, settings in
            guard let property = ExerciseProperty(rawValue: field) else { return try ExerciseGIF.ids(keptBy: settings) }
            return try property.values(among: ExerciseList.kept(of: context.exerciseService(key: nil), by: settings))
        })
}
