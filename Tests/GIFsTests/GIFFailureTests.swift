import Formats
import Support
import TestSupport
import Testing

@testable import GIFs

/// The words of all failures of ExerciseDB and its GIFs.
@Suite struct GIFFailureTests {
    @Test func everyFailureHasASubjectAndARemedy() throws {
        let until = Timestamp(milliseconds: 0)
        let rows: [(GIFFailure, String)] = [
            (
                .noID(fields: ["exerciseId", "id"]),
                "65 no-exercise-id: the record does not name an exercise: it has no exerciseId or id"
            ),
            (
                .badID("a b"),
                """
                65 bad-exercise-id: "a b" is not a valid exercise id; use 1 to 64 letters, digits, _ and -, such as \
                0001
                """
            ),
            (
                .keyMissing,
                """
                77 api-key-missing: ExerciseDB requires a key; set EXERCISEDB_API_KEY or EXERCISEDB_API_KEY_FILE
                """
            ),
            (
                .keyInvalid,
                """
                77 api-key-invalid: ExerciseDB rejected the key; check EXERCISEDB_API_KEY or EXERCISEDB_API_KEY_FILE
                """
            ),
            (
                .notSubscribed,
                """
                77 not-subscribed: the key's account has no ExerciseDB plan; subscribe to one at RapidAPI, such as \
                the free plan
                """
            ),
            (
                .unknownExercise(ExerciseGIF(id: try ExerciseID("0001"))),
                """
                69 unknown-exercise: ExerciseDB has no GIF of exercise 0001 at 180; check the id, including leading \
                zeros
                """
            ),
            (
                .quotaExceeded(.monthly),
                """
                75 quota-exceeded: the plan's requests for this month are used up; try again when they are renewed, \
                or change the plan
                """
            ),
            (
                .quotaExceeded(.daily),
                """
                75 quota-exceeded: the plan's requests for today are used up; try again when they are renewed, or \
                change the plan
                """
            ),
            (
                .quotaExceeded(.other),
                """
                75 quota-exceeded: the plan's requests are used up; try again when they are renewed, or change the \
                plan
                """
            ),
            (
                .refusing(until: until),
                """
                75 quota-exceeded: the quota of the ExerciseDB key is used up until 1970-01-01T00:00:00Z; try again \
                then, or use --refresh
                """
            ),
            (.refused("R"), "69 service-refused: ExerciseDB reported an error: R"),
            (.notAList("F"), "65 not-a-list: ExerciseDB did not return a list of exercises: F"),
            (
                .unreachable,
                """
                75 unreachable: ExerciseDB could not be reached several times in a row and is not used again in this \
                run; try again later
                """
            ),
            (.notAGIF("JSON"), "65 not-a-gif: ExerciseDB returned JSON instead of a GIF"),
            (.empty, "65 empty-body: ExerciseDB returned an empty body"),
            (.truncated, "75 truncated-gif: ExerciseDB sent a truncated GIF; try again later"),
            (.corrupt("F"), "65 corrupt-gif: the GIF is corrupt: F"),
            (.overLimit("E"), "77 over-limit: the GIF exceeds the limit: E"),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test(
        arguments: [
            (.empty, .empty), (.notAnImage(.html), .notAGIF("an HTML page")),
            (.unsupported(.bmp, readable: []), .notAGIF("a BMP picture")), (.notGIF(.png), .notAGIF("a PNG picture")),
            (.truncated(.gif), .truncated), (.truncated(.png), .notAGIF("a truncated PNG picture")),
            (.corrupt(.gif, "F"), .corrupt("F")), (.corrupt(.png, "F"), .notAGIF("a corrupt PNG picture")),
            (.notRead(.png, "F"), .notAGIF("an unsupported PNG picture")), (.overLimit(.gif, "E"), .overLimit("E")),
            (.noSuchPage(1, count: 1), .notAGIF("a TIFF picture")), (.truncatedMovie, .notAGIF("a movie")),
            (.corruptMovie("F"), .notAGIF("a movie")),
        ] as [(FormatFailure, GIFFailure)])
    func faultOfAFormatNamesTheFormat(_ fault: FormatFailure, _ expected: GIFFailure) {
        #expect(GIFFailure(fault) == expected)
    }
}
