import TestSupport
import Testing

@testable import APOD

/// The words of all failures of days and services.
@Suite struct APODFailureTests {
    private let date = day("2020-01-01")
    private let name = "science.nasa.gov's service"

    @Test func everyFailureHasASubjectAndARemedy() {
        let rows: [(APODFailure, String)] = [
            (.badDate(reason: "R"), "65 bad-date: R"),
            (
                .noPicture(date),
                """
                69 no-picture: there is no picture of the day for 2020-01-01; use --fallback-previous for the latest \
                earlier image
                """
            ),
            (
                .notPublished(date),
                """
                75 not-published: the picture of 2020-01-01 is not published yet; try again after 00:05 US Eastern \
                time, when NASA usually publishes, or use --date today for the newest picture
                """
            ),
            (
                .nothingRecent(from: date, through: day("2020-01-04")),
                """
                69 no-picture: there is no picture of the day from 2020-01-01 to 2020-01-04, and NASA has not \
                published any since; try again later, or use --date with an earlier day
                """
            ),
            (
                .standIn(.placeholder, date, .api),
                """
                69 stand-in: \(Server.api.name) returned NASA's logo or another stand-in instead of the picture of \
                2020-01-01; set APOD_TOOLS_SERVICE=science
                """
            ),
            (
                .standIn(.placeholder, date, .science),
                """
                69 stand-in: \(name) returned a stand-in for the picture of 2020-01-01, which may have been lost when \
                the site moved; use --fallback-previous for the latest earlier image
                """
            ),
            (
                .standIn(.nothing, date, .science),
                """
                69 stand-in: \(name) has the text of 2020-01-01 but no picture, which may have been lost when the \
                site moved; use --fallback-previous for the latest earlier image
                """
            ),
            (
                .wrongDay(asked: date, answered: day("2020-01-02"), .science),
                """
                65 wrong-date: \(name) returned 2020-01-02 instead of 2020-01-01; check the service's address
                """
            ),
            (
                .badAnswer(.empty, .science),
                """
                65 bad-answer: \(name) returned an invalid answer: it is empty; check the service's address, or try \
                again later (-v shows the beginning of the answer)
                """
            ),
            (
                .refused(.science, status: 400, said: nil),
                "69 refused: \(name) rejected the request with status 400"
            ),
            (
                .refused(.science, status: 400, said: "S"),
                "69 refused: \(name) rejected the request with status 400: \"S\""
            ),
            (
                .forbidden(.science, status: 403),
                """
                77 forbidden: \(name) refused access (status 403) and may block this network; try another network
                """
            ),
            (
                .rateLimited(.science, limitPerHour: 10, retryAfterSeconds: 2870),
                "75 rate-limited: \(name): too many requests (limit 10 an hour); try again in 48 minutes"
            ),
            (
                .rateLimited(.science, limitPerHour: nil, retryAfterSeconds: nil),
                "75 rate-limited: \(name): too many requests; try again later"
            ),
            (
                .failing(.science, status: 503, said: "S", attempts: 4),
                "75 server-error: \(name) failed with status 503: \"S\"; try again later (tried 4 times)"
            ),
            (
                .failing(.science, status: 200, said: nil),
                "75 server-error: \(name) cannot be reached behind its proxy; try again later"
            ),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test(
        arguments: [
            (.empty, "it is empty"), (.notJSON, "it is not JSON"), (.truncated, "it is incomplete"),
            (.notUTF8, "its text is not UTF-8"), (.tooDeep, "it is nested too deeply"),
            (.notObjects, "its items are not objects"), (.tooMany, "it contains far more items than requested"),
            (.html, "it is a web page, not JSON"), (.arrayForObject, "it is an array instead of an object"),
            (.objectForArray, "it is an object instead of an array"), (.missing(field: "title"), "it has no title"),
            (.wrongType(field: "title"), "its title has an invalid value"),
            (.tangledHTML(field: "title"), "its title is too long or contains HTML that is too complex"),
        ] as [(APODFailure.BadAnswer, String)])
    func everyInvalidAnswerHasAReason(_ fault: APODFailure.BadAnswer, _ words: String) { #expect(fault.words == words) }
}
