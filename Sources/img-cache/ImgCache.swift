import Commands
import HTTP
import Options
import Store

extension Tool {
    public static let imgCache = Tool(
        Command(
            "img-cache", summary: "Download pictures once and keep them.",
            details: """
                Most commands take pictures as arguments, or on standard input: records, or lines with an address or a \
                key. They add `path` and `cache` to the records. A picture is named by its address, by its file, or by \
                the key that img-cache prints for it.
                """,
            examples: [
                "apod-fetch --date | img-cache put | img-downsample --variant overlay",
                "img-cache put https://example.org/m31.jpg --print path",
                "img-cache put --scope alice < records.ndjson > cached.ndjson",
                "img-cache get https://example.org/m31.jpg || echo \"not there yet\"",
                "img-cache cat https://example.org/m31.jpg > m31.jpg",
                "img-cache stats --json",
            ],
            subcommands: [
                .put, .prefetch, .explain, .get, .has, .cat, .path, .list, .info, .remove, .pin, .unpin, .clean,
                .verify, .push, .pull, .scopes, .stats, .settings,
            ],
            successors: [
                "sync": "use img-cache push or img-cache pull", "reset": "see img-cache scope purge --help",
            ]),
        exitStatus: """
            0 all done, 1 not in the cache, 64 usage, 65 not a picture,
            66 no such file, 69 permanently gone, 73/74 cannot write,
            75 try again later, 77 not allowed, 78 configuration.
            """
    ) { [CurlTransport.libraryVersion, indexLibraryVersion] }
}
