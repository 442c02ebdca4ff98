#if os(Linux)
import Support
import TestSupport
import Testing

/// The script for cron in `docs/scripting.md`, run on five days in a row.
struct CronRecipeTests {
    /// The tools see the time of day that `CLOCK_SHIFT` seconds make of the present one.
    private static let clock = """
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = (int)syscall(SYS_clock_gettime, clock, time);
            const char *shift = getenv("CLOCK_SHIFT");
            if (clock == CLOCK_REALTIME && shift != NULL) time->tv_sec += atol(shift);
            return result;
        }
        """

    /// The service is down while the file `down` exists.
    private static let fetch = """
        #!/bin/sh
        if [ -e "$HOME/down" ]; then APOD_SCIENCE_URL=$DOWN; export APOD_SCIENCE_URL; fi
        LD_PRELOAD=$CLOCK; export LD_PRELOAD
        exec "$APOD_FETCH" "$@"

        """

    /// Notes the wait. The outage ends after as many waits as `down` says.
    private static let sleep = """
        #!/bin/sh
        echo "$1" >> "$HOME/slept"
        if [ -e "$HOME/down" ] && [ "$(wc -l < "$HOME/slept")" -ge "$(cat "$HOME/down")" ]; then rm "$HOME/down"; fi

        """

    /// A day, after how many waits its outage ends, the waits, and the exit status.
    private static let days: [(day: String, outage: Int?, waits: [String], status: Int32)] = [
        ("2024-02-06", nil, [], 0), ("2024-02-07", 2, ["600", "3600"], 0), ("2024-02-08", nil, [], 0),
        ("2024-02-09", 9, ["600", "3600", "7200", "0"], 75), ("2024-02-10", nil, [], 0),
    ]

    private static func script() throws -> String {
        let lines = try TestFile.text("\(Corpus.packageRoot)/docs/scripting.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { $0 != "#!/bin/sh" }.prefix { $0 != "```" }.joined(separator: "\n") + "\n"
    }

    @Test func eachDayIsTriedAgainUntilItsOwnPictureIsThere() throws {
        let server = try SampleServer(["--size", "300x200", "--today", "2024-02-05"])
        let home = try ToolHome(environment: server.environment)
        try #require(home.shell("command -v cc").status == 0, "the test needs a C compiler")
        try home.write("clock.c", Self.clock)
        try home.shell("cc -shared -fPIC -o clock.so clock.c").expect(0)
        try home.folder.write("config/apod-tools/config.json", #"{"retries": 0}"#)
        for (name, text) in [("apod-fetch", Self.fetch), ("sleep", Self.sleep)] {
            try home.folder.write("stand-ins/\(name)", text, mode: 0o700)
        }
        try home.folder.write("script", Self.script(), mode: 0o700)

        var pictures: [String] = []
        for (day, outage, waits, status) in Self.days {
            try server.publishNextDay()
            let noon = try #require(Timestamp(iso8601: "\(day)T12:00:00Z"))
            let shift = (noon - Timestamp.now()).milliseconds / 1000
            try home.folder.write("home/slept", "")
            if let outage { try home.folder.write("home/down", "\(outage)\n") }
            let output = try home.shell(
                "export PATH=\"\(home.folder.path("stand-ins")):$PATH\"; '\(home.folder.path("script"))'",
                environment: [
                    "CLOCK": home.path("clock.so"), "CLOCK_SHIFT": "\(shift)", "APOD_FETCH": Tools.path("apod-fetch"),
                    "DOWN": server.url("/wp-json/wp/v2/apod-basic", faults: ["status-503"]),
                    "APOD_API_URL": server.url("/none"),
                ])
            #expect(output.status == status, "\(day): \(output)")
            let slept = String(decoding: try home.folder.read("home/slept"), as: UTF8.self)
            #expect(slept.split(separator: "\n").map(String.init) == waits, "\(day): \(output)")
            if status == 0 { pictures.append("\(day).jpg") }
            #expect(TemporaryFolder.names(in: home.folder.path("home/apod")).sorted() == pictures, "\(day): \(output)")
            try? home.shell("rm -f \"$HOME/down\"").expect(0)
        }
    }
}
#endif
