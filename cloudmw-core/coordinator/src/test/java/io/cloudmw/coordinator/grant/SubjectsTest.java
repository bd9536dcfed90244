package io.cloudmw.coordinator.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Revocation;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the changes of subjects and of the decisions about them. */
final class SubjectsTest {
    private static final VolumeName DATA = new VolumeName("data");
    private static final GrantScope LOGS = new GrantScope(DATA, "/logs");
    private static final String HASH = "ab".repeat(32);
    private static final Optional<ProcessIdentity> ADMIN = client(Authorizer.ADMINISTRATOR);
    private static final Optional<ProcessIdentity> APP = client("app");

    private final InMemoryCatalog catalog = new InMemoryCatalog();
    private final AtomicLong now = new AtomicLong(1_700_000_000_000L);
    private final AtomicLong nanos = new AtomicLong();
    private KnownSubjects known;
    private Authorizer authorizer;
    private Subjects subjects;

    @BeforeEach
    void open() {
        known = new KnownSubjects(catalog.subjects(), nanos::get);
        authorizer = new Authorizer(known, now::get);
        subjects = new Subjects(catalog.subjects(), known, authorizer, now::get);
    }

    private static Optional<ProcessIdentity> client(String name) {
        return Optional.of(new ProcessIdentity("prod", ProcessRole.CLIENT, name));
    }

    private static ErrorCode refused(ThrowingCallable call) {
        return catchThrowableOfType(CloudMwException.class, call).code();
    }

    private boolean may(Optional<ProcessIdentity> caller, Right right, String path) {
        try {
            authorizer.requireRight(caller, right, DATA, path);
            return true;
        } catch (CloudMwException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED);
            return false;
        }
    }

    @Test
    void grantHoldsBelowItsDirectoryAlone() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        assertThat(may(APP, Right.READ, "/logs")).isTrue();
        assertThat(may(APP, Right.READ, "/logs/2026/x")).isTrue();
        assertThat(may(APP, Right.READ, "/logs2/x")).isFalse();
        assertThat(may(APP, Right.READ, "/")).isFalse();
        assertThat(may(APP, Right.WRITE, "/logs/x")).isFalse();
        assertThat(may(client("other"), Right.READ, "/logs/x")).isFalse();
    }

    @Test
    void takenGrantIsRefusedAtOnce() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        assertThat(may(APP, Right.READ, "/logs/x")).isTrue();
        subjects.grant(ADMIN, "app", LOGS, Set.of());
        assertThat(may(APP, Right.READ, "/logs/x")).isFalse();
    }

    @Test
    void changeAtAnotherCoordinatorTakesEffectAtTheNextLook() throws Exception {
        KnownSubjects elsewhere = new KnownSubjects(catalog.subjects(), nanos::get);
        Authorizer other = new Authorizer(elsewhere, now::get);
        assertThat(refused(() -> other.requireRight(APP, Right.READ, DATA, "/logs/x")))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        elsewhere.look();
        other.requireRight(APP, Right.READ, DATA, "/logs/x");
    }

    @Test
    void subjectGivesOnlyRightsThatItHasAndMayShare() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ, Right.SHARE));
        subjects.grant(APP, "friend", new GrantScope(DATA, "/logs/a"), Set.of(Right.READ));
        assertThat(may(client("friend"), Right.READ, "/logs/a/x")).isTrue();
        assertThat(refused(() -> subjects.grant(APP, "friend", LOGS, Set.of(Right.WRITE))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(refused(() -> subjects.grant(APP, "friend", GrantScope.of(DATA), Set.of(Right.READ))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(refused(() -> subjects.grant(client("friend"), "x", LOGS, Set.of(Right.READ))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void subjectTakesNoRightThatItLacks() throws Exception {
        subjects.grant(ADMIN, "owner", LOGS, Set.of(Right.READ, Right.WRITE));
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ, Right.SHARE));
        assertThat(refused(() -> subjects.grant(APP, "owner", LOGS, Set.of(Right.READ))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(may(client("owner"), Right.WRITE, "/logs/x")).isTrue();
    }

    @Test
    void roleIncludesThoseBelowItAndGivesNoAccessToFiles() throws Exception {
        subjects.role(ADMIN, "ops", Optional.of(ClusterRole.OPERATOR));
        authorizer.requireRole(client("ops"), ClusterRole.VIEWER);
        authorizer.requireRole(client("ops"), ClusterRole.OPERATOR);
        assertThat(refused(() -> authorizer.requireRole(client("ops"), ClusterRole.ADMIN)))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(may(client("ops"), Right.READ, "/logs/x")).isFalse();
        assertThat(refused(() -> subjects.role(client("ops"), "ops", Optional.of(ClusterRole.ADMIN))))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void revokedOrExpiredTokenEndsTheRightsOfItsBearer() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        String id = subjects.addToken(ADMIN, "app", HASH, Optional.of(Duration.ofMinutes(1)))
                .id();
        String second = subjects.addToken(ADMIN, "app", "cd".repeat(32), Optional.empty())
                .id();
        Optional<ProcessIdentity> bearer =
                Optional.of(new ProcessIdentity("prod", ProcessRole.CLIENT, "app", Optional.of(id)));
        Optional<ProcessIdentity> other =
                Optional.of(new ProcessIdentity("prod", ProcessRole.CLIENT, "app", Optional.of(second)));
        assertThat(may(bearer, Right.READ, "/logs/x")).isTrue();
        now.addAndGet(Duration.ofMinutes(1).toMillis());
        assertThat(may(bearer, Right.READ, "/logs/x")).isFalse();
        assertThat(may(other, Right.READ, "/logs/x")).isTrue();
        subjects.revokeToken(other, "app", Optional.of(second));
        assertThat(may(other, Right.READ, "/logs/x")).isFalse();
    }

    @Test
    void tokenOfAnotherSubjectIsForAdministrators() throws Exception {
        assertThat(refused(() -> subjects.addToken(APP, "ops", HASH, Optional.empty())))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(subjects.addToken(APP, "app", HASH, Optional.empty()).id()).isEqualTo("ab".repeat(8));
        assertThat(refused(() -> subjects.revokeToken(APP, "app", Optional.of("00".repeat(8)))))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void helperReadsForOthersAndChangesNothing() {
        Optional<ProcessIdentity> helper = Optional.of(new ProcessIdentity("prod", ProcessRole.HELPER, "h1"));
        assertThat(may(helper, Right.READ, "/logs/x")).isTrue();
        assertThat(may(helper, Right.WRITE, "/logs/x")).isFalse();
        assertThat(refused(() -> authorizer.requireRole(helper, ClusterRole.OPERATOR)))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void helperNamedAsTheAdministratorIsNone() {
        Optional<ProcessIdentity> helper =
                Optional.of(new ProcessIdentity("prod", ProcessRole.HELPER, Authorizer.ADMINISTRATOR));
        assertThat(may(helper, Right.WRITE, "/logs/x")).isFalse();
    }

    @Test
    void nobodyIsKnownWhenTheCatalogHasNotAnsweredForLong() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        nanos.addAndGet(KnownSubjects.MAX_AGE.toNanos());
        assertThat(may(APP, Right.READ, "/logs/x")).isTrue();
        nanos.addAndGet(1);
        assertThat(refused(() -> authorizer.requireRight(APP, Right.READ, DATA, "/logs/x")))
                .isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        known.look();
        assertThat(may(APP, Right.READ, "/logs/x")).isTrue();
    }

    @Test
    void bearerOfATokenMakesNoOther() throws Exception {
        String id = subjects.addToken(ADMIN, "app", HASH, Optional.of(Duration.ofMinutes(1)))
                .id();
        Optional<ProcessIdentity> bearer =
                Optional.of(new ProcessIdentity("prod", ProcessRole.CLIENT, "app", Optional.of(id)));
        assertThat(refused(() -> subjects.addToken(bearer, "app", "cd".repeat(32), Optional.empty())))
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void sharerSeesOnlyTheRightsInItsVolume() throws Exception {
        VolumeName other = new VolumeName("other");
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ, Right.SHARE));
        subjects.grant(ADMIN, "friend", GrantScope.of(other), Set.of(Right.READ));
        subjects.role(ADMIN, "friend", Optional.of(ClusterRole.VIEWER));
        Subject shown = subjects.grant(APP, "friend", LOGS, Set.of(Right.READ));
        assertThat(shown.role()).isEmpty();
        assertThat(shown.grants()).extracting(grant -> grant.scope().volume()).containsExactly(DATA);
    }

    @Test
    void deletedVolumeTakesItsGrantsAlong() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        subjects.grant(ADMIN, "app", GrantScope.of(new VolumeName("other")), Set.of(Right.READ));
        subjects.forget(DATA);
        assertThat(may(APP, Right.READ, "/logs/x")).isFalse();
        assertThat(subjects.subject("app").grants()).hasSize(1);
    }

    private Optional<Long> lossOf(String name) throws CloudMwException {
        return subjects.subject(name).revocation().map(Revocation::revision);
    }

    @Test
    void moreRightsAreNoLoss() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ, Right.WRITE));
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.ADMIN));
        subjects.grant(ADMIN, "app", GrantScope.of(DATA), Set.of(Right.READ));
        subjects.role(ADMIN, "app", Optional.of(ClusterRole.VIEWER));
        subjects.role(ADMIN, "app", Optional.of(ClusterRole.OPERATOR));
        subjects.addToken(ADMIN, "app", HASH, Optional.of(Duration.ofMinutes(1)));
        now.addAndGet(Duration.ofMinutes(1).toMillis());
        subjects.addToken(ADMIN, "app", "cd".repeat(32), Optional.empty());
        assertThat(lossOf("app")).isEmpty();
    }

    @Test
    void reducedRightRoleOrTokenIsALoss() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.ADMIN));
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        assertThat(lossOf("app")).contains(catalog.subjects().revision());
        subjects.role(ADMIN, "app", Optional.of(ClusterRole.OPERATOR));
        subjects.role(ADMIN, "app", Optional.of(ClusterRole.VIEWER));
        assertThat(lossOf("app")).contains(catalog.subjects().revision());
        String id = subjects.addToken(ADMIN, "app", HASH, Optional.empty()).id();
        subjects.revokeToken(ADMIN, "app", Optional.of(id));
        assertThat(lossOf("app")).contains(catalog.subjects().revision());
        subjects.addToken(ADMIN, "app", HASH, Optional.empty());
        subjects.revokeToken(ADMIN, "app", Optional.empty());
        assertThat(lossOf("app")).contains(catalog.subjects().revision());
        subjects.forget(DATA);
        assertThat(lossOf("app")).contains(catalog.subjects().revision());
        assertThat(subjects.subject("app").grants()).isEmpty();
    }

    @Test
    void subjectThatLostAllIsKeptWhileItsTransferTokensMayBeGoodAndShownToNobody() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        subjects.grant(ADMIN, "app", LOGS, Set.of());
        assertThat(subjects.list(ADMIN, Optional.empty())).isEmpty();
        assertThat(known.losses(now.get()).bySubject()).containsOnlyKeys("app");

        now.addAndGet(SubjectRecords.REVOCATIONS_KEPT.toMillis());
        assertThat(subjects.prune()).isZero();
        assertThat(known.losses(now.get()).bySubject()).containsOnlyKeys("app");
        now.addAndGet(1);
        assertThat(known.losses(now.get()).bySubject()).isEmpty();
        assertThat(subjects.prune()).isEqualTo(1);
        assertThat(catalog.subjects().subjects()).isEmpty();
    }

    @Test
    void oldLossOfASubjectWithRightsIsDroppedAlone() throws Exception {
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ, Right.WRITE));
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        now.addAndGet(SubjectRecords.REVOCATIONS_KEPT.toMillis() + 1);
        assertThat(subjects.prune()).isEqualTo(1);
        assertThat(lossOf("app")).isEmpty();
        assertThat(may(APP, Right.READ, "/logs/x")).isTrue();
    }

    @Test
    void listenersHearOfChangesAtAnyCoordinatorOnce() throws Exception {
        KnownSubjects elsewhere = new KnownSubjects(catalog.subjects(), nanos::get);
        elsewhere.look();
        AtomicLong heard = new AtomicLong();
        elsewhere.onChange(heard::incrementAndGet);
        elsewhere.look();
        assertThat(heard).hasValue(0);
        subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ));
        elsewhere.look();
        elsewhere.look();
        assertThat(heard).hasValue(1);
        assertThat(elsewhere.revision()).isEqualTo(catalog.subjects().revision());
    }

    @Test
    void whatSubjectsLeaveBehindTakesNoRoomOfOthers() throws Exception {
        SubjectRecords records = catalog.subjects();
        for (int i = 0; i < SubjectRecords.MAX; i++) {
            Subject unused = records.change(
                    "left" + i, subject -> subject.withRevocation(Optional.of(new Revocation(now.get(), 0))));
        }
        for (int i = 0; i < SubjectRecords.MAX; i++) {
            Subject unused = records.change("app" + i, subject -> subject.with(LOGS, Set.of(Right.READ)));
        }
        assertThat(refused(() -> records.change("more", subject -> subject.with(LOGS, Set.of(Right.READ)))))
                .isEqualTo(ErrorCode.OVERLOADED);
        assertThat(refused(() -> records.change("left0", subject -> subject.with(LOGS, Set.of(Right.READ)))))
                .isEqualTo(ErrorCode.OVERLOADED);
        Subject taken = records.change(
                "app0",
                subject -> subject.with(LOGS, Set.of()).withRevocation(Optional.of(new Revocation(now.get(), 0))));
        assertThat(taken.isEmpty()).isTrue();
        assertThat(refused(() -> records.change("more", subject -> subject.with(LOGS, Set.of(Right.READ)))))
                .isEqualTo(ErrorCode.OVERLOADED);
        Subject again = records.change("app0", subject -> subject.with(LOGS, Set.of(Right.READ)));
        assertThat(again.isEmpty()).isFalse();
    }

    @Test
    void nobodyChangesSubjectsInPlainText() {
        assertThat(refused(() -> subjects.grant(Optional.empty(), "app", LOGS, Set.of(Right.READ))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refused(() -> subjects.role(Optional.empty(), "app", Optional.of(ClusterRole.ADMIN))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refused(() -> subjects.addToken(Optional.empty(), "app", HASH, Optional.empty())))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void plainTextCallerMayDoEverything() throws Exception {
        assertThat(may(Optional.empty(), Right.ADMIN, "/")).isTrue();
        authorizer.requireRole(Optional.empty(), ClusterRole.ADMIN);
    }

    @Test
    void boundsOfASubjectAreKept() throws Exception {
        for (int i = 0; i < Subject.MAX_GRANTS; i++) {
            subjects.grant(ADMIN, "app", new GrantScope(DATA, "/d" + i), Set.of(Right.READ));
        }
        assertThat(refused(() -> subjects.grant(ADMIN, "app", LOGS, Set.of(Right.READ))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refused(() -> subjects.grant(ADMIN, "../x", LOGS, Set.of(Right.READ))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refused(() -> subjects.grant(ADMIN, Authorizer.ADMINISTRATOR, LOGS, Set.of(Right.READ))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
}
