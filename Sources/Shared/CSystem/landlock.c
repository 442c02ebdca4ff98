#include "CSystem.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Landlock (landlock(7)). Some kernel headers lack these numbers.

enum {
    call_create_ruleset = 444,
    call_add_rule = 445,
    call_restrict_self = 446,
    create_version = 1,  // LANDLOCK_CREATE_RULESET_VERSION
    rule_path_beneath = 1,
};

static const uint64_t access_write_file = 1 << 1;
static const uint64_t access_read_file = 1 << 2;
static const uint64_t access_read_dir = 1 << 3;
static const uint64_t access_remove_dir = 1 << 4;
static const uint64_t access_remove_file = 1 << 5;
static const uint64_t access_make_dir = 1 << 7;
static const uint64_t access_make_reg = 1 << 8;
static const uint64_t access_refer = 1 << 13;
static const uint64_t access_truncate = 1 << 14;
static const uint64_t access_ioctl_dev = 1 << 15;
static const uint64_t access_tcp = 3;     // bind and connect
static const uint64_t access_tcp_bind = 1;
static const uint64_t scope_all = 3;      // abstract Unix sockets and signals

// Returns the LANDLOCK_ACCESS_FS_… rights of a version of the interface: all bits below the first unknown right.
static uint64_t known_file_rights(int version) {
    int count = version >= 5 ? 16 : version >= 3 ? 15 : 14;
    return ((uint64_t)1 << count) - 1;
}

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct __attribute__((packed)) beneath {
    uint64_t rights;
    int32_t folder;
};

int csystem_landlock_version(void) {
    long version = syscall(call_create_ruleset, NULL, 0, create_version);
    return version < 0 ? 0 : (int)version;
}

int csystem_landlock_begin(int version, bool network) {
    struct ruleset ruleset = {
        .files = known_file_rights(version),
        // The tools never listen. Landlock does not affect UDP, which name lookups use.
        .network = version < 4 ? 0 : network ? access_tcp_bind : access_tcp,
        .scopes = version < 6 ? 0 : scope_all,
    };
    // A kernel accepts fields that it does not know only if they are zero.
    return (int)syscall(call_create_ruleset, &ruleset, sizeof ruleset, 0);
}

bool csystem_landlock_allow(int rules, int version, const char *path, enum csystem_right right) {
    int kept = errno;
    int opened = open(path, O_PATH | O_CLOEXEC);
    if (opened < 0) {
        bool missing = errno == ENOENT || errno == ENOTDIR;
        errno = kept;
        return missing;
    }
    uint64_t file = access_read_file;
    uint64_t folder = access_read_dir;
    if (right == csystem_right_write) {
        file |= access_write_file | access_truncate | access_ioctl_dev;
        folder |= access_remove_dir | access_remove_file | access_make_dir | access_make_reg | access_refer;
    }
    struct stat status;
    bool is_folder = fstat(opened, &status) == 0 && S_ISDIR(status.st_mode);
    if (is_folder) file &= ~access_ioctl_dev;
    struct beneath beneath = {
        .rights = (is_folder ? file | folder : file) & known_file_rights(version),
        .folder = opened,
    };
    // A pipe accepts no rule (EBADFD) and does not need a rule.
    bool done = syscall(call_add_rule, rules, rule_path_beneath, &beneath, 0) == 0 || errno == EBADFD;
    close(opened);
    errno = kept;
    return done;
}

bool csystem_landlock_enforce(int rules) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(call_restrict_self, rules, 0) == 0;
}

#else

int csystem_landlock_version(void) { return 0; }

int csystem_landlock_begin(int version, bool network) {
    (void)version, (void)network;
    return -1;
}

bool csystem_landlock_allow(int rules, int version, const char *path, enum csystem_right right) {
    (void)rules, (void)version, (void)path, (void)right;
    return false;
}

bool csystem_landlock_enforce(int rules) {
    (void)rules;
    return false;
}

#endif
