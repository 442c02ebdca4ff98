import Testing

@testable import Support

struct ConfinementTests {
    @Test func droppedRightIsDistinguishedFromAMissingPermission() {
        let given = SystemFailure(errno: 13, "open /a", purpose: .openInput, isConfined: true)
        #expect(given.code == "confined")
        #expect(given.exitCode == .noInput)
        #expect(given.message.contains("/a") && given.message.contains("APOD_TOOLS_CONFINEMENT=false"))
        let never = SystemFailure(errno: 13, "open /a", purpose: .openInput)
        #expect(never.code == "permission")
        #expect(!never.message.contains("APOD_TOOLS_CONFINEMENT=false"))
    }

    @Test func unconfinedProcessHasNoConfinementErrors() {
        #expect(!Confinement.refused("/etc/hostname", flags: 0, errno: 13))
    }

    @Test func descriptionNamesActiveAndMissingMechanisms() {
        #expect(Confinement.Enforcement(landlock: 7, filtersCalls: true).words == "confined by Landlock 7 and seccomp")
        #expect(Confinement.Enforcement(landlock: nil, filtersCalls: true).words.contains("Landlock 2 or newer is not"))
        #expect(Confinement.Enforcement(landlock: 3, filtersCalls: false).words.contains("seccomp is not available"))
        #expect(Confinement.Enforcement().words.hasPrefix("not confined"))
    }
}
