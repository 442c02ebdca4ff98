import Support
import Testing

@testable import CacheTools
@testable import Store

/// The words of `stats` for people and for Prometheus.
@Suite struct StatisticsTextTests {
    private let statistics = Statistics(
        entries: 1, variants: 0, bytes: 7, capacity: 7, pinned: EntrySum(), leased: EntrySum(), metadata: EntrySum(),
        scopes: [
            Statistics.Scope(
                name: "s", entries: 1, variants: 0, bytes: 7, metadata: EntrySum(),
                since: Timestamp(milliseconds: 0),
                counters: Dictionary(uniqueKeysWithValues: Counter.allCases.map { ($0, 7) }), failures: ["gone": 1])
        ])

    @Test func tableExplainsEveryCounter() {
        let text = statistics.text
        #expect(
            text.hasSuffix(
                """
                  Requested pictures
                    found, fresh                                          7  hits
                      of these, fetched by another run or thread          7  coalesced
                    found, unchanged on the server                        7  revalidated
                    found, expired, but served                            7  stale
                    not found, or not usable                              7  misses
                      not in the cache                                    7  misses_absent
                      expired or changed, and replaced                    7  misses_expired
                      refreshed, and replaced                             7  misses_refresh
                      file lost or changed on the disk                    7  misses_lost
                      not cached because of a policy                      7  misses_policy
                    not requested: files made from them exist             7  kept
                    not requested: failed recently                        7  negative_hits

                  Requested variants
                    found                                                 7  variant_hits
                      of these, made by another run or thread             7  variants_coalesced
                    made                                                  7  variants_made

                  Bytes
                    served from the cache                               7 B  bytes_served
                    downloaded and stored                               7 B  bytes_fetched
                    written to the cache, including variants            7 B  bytes_written

                  Stored and removed
                    pictures stored from files or from memory             7  stored
                    entries evicted to stay below the capacity            7  evictions
                      their size                                        7 B  bytes_evicted
                    entries removed by rm and clean                       7  removed
                      their size                                        7 B  bytes_removed
                    entries removed: file lost or changed                 7  healed
                      of these, lost in a restart                         7  lost_writes

                  Remote
                    found there                                           7  remote_hits
                    not found there                                       7  remote_misses
                    damaged there, and not used                           7  remote_damaged
                    requests that failed                                  7  remote_errors
                    uploaded                                              7  remote_stored
                    received                                            7 B  bytes_from_remote
                    sent                                                7 B  bytes_to_remote
                    milliseconds saved                                    7  remote_ms_saved

                  Failures, by code
                    gone                                                  1

                """), "\(text)")
    }

    @Test func expositionExplainsEveryValueOfAScope() {
        let counters = Set(Counter.allCases.map(\.meaning))
        let helps = statistics.exposition.split(separator: "\n").compactMap { line in
            line.hasPrefix("# HELP apod_tools_cache_") ? String(line.dropFirst("# HELP apod_tools_cache_".count)) : nil
        }
        #expect(
            helps.filter { help in !counters.contains { help.hasSuffix($0) } } == [
                "entries Entries of a scope.",
                "bytes Bytes of the files of a scope.",
                "capacity_bytes The capacity of the cache in bytes, for all scopes.",
                "excess_bytes Bytes above the capacity, which leases and pins protect.",
                "pinned_entries Pinned entries.",
                "pinned_bytes Bytes of the pinned entries.",
                "leased_entries Unpinned entries with a current lease.",
                "leased_bytes Bytes of the unpinned entries with a current lease.",
                "metadata Metadata items of a scope.",
                "metadata_bytes Bytes of the metadata items of a scope.",
                "counted_since_timestamp_seconds The time at which the counters of a scope began.",
                "failures_total Failures, by their code.",
            ])
    }
}
