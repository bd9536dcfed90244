package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Revocation;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.grant.TokenRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Contract of a catalog's subjects. A small subclass per implementation opens it. */
public abstract class SubjectsContract extends CatalogFixture {
    private static final GrantScope LOGS = new GrantScope(VOLUME, "/logs");

    private SubjectRecords records() {
        return catalog.subjects();
    }

    @Test
    void subjectKeepsItsRoleItsGrantsAndItsTokens() throws Exception {
        TokenRecord token = new TokenRecord("ab".repeat(32), 1000, OptionalLong.of(2000));
        TokenRecord endless = new TokenRecord("cd".repeat(32), 1000, OptionalLong.empty());
        Subject changed = records()
                .change(
                        "app",
                        subject -> subject.withRole(Optional.of(ClusterRole.OPERATOR))
                                .with(LOGS, Set.of(Right.READ, Right.SHARE))
                                .with(GrantScope.of(VOLUME), Set.of(Right.ADMIN))
                                .withToken(token, 1000)
                                .withToken(endless, 1000));
        assertThat(records().subject("app")).contains(changed);
        assertThat(changed.tokens()).containsExactly(token, endless);
        assertThat(changed.may(Right.WRITE, VOLUME, "/x")).isTrue();
    }

    @Test
    void subjectsAreListedByName() throws Exception {
        for (String name : List.of("b", "a", "c@d.e")) {
            records().change(name, subject -> subject.with(LOGS, Set.of(Right.READ)));
        }
        assertThat(records().subjects()).extracting(Subject::name).containsExactly("a", "b", "c@d.e");
    }

    @Test
    void everyChangeRaisesTheRevision() throws Exception {
        assertThat(records().revision()).isZero();
        records().change("app", subject -> subject.with(LOGS, Set.of(Right.READ)));
        long first = records().revision();
        assertThat(first).isPositive();
        records().change("app", subject -> subject.with(LOGS, Set.of(Right.WRITE)));
        assertThat(records().revision()).isGreaterThan(first);
    }

    @Test
    void updateThatChangesNothingKeepsTheRevision() throws Exception {
        records().change("app", subject -> subject.with(LOGS, Set.of(Right.READ)));
        long revision = records().revision();
        records().change("app", subject -> subject.with(LOGS, Set.of(Right.READ)));
        records().change("nobody", subject -> subject.with(LOGS, Set.of()));
        assertThat(records().revision()).isEqualTo(revision);
    }

    @Test
    void subjectWithoutRightsAndTokensIsRemoved() throws Exception {
        records().change("app", subject -> subject.with(LOGS, Set.of(Right.READ)));
        records().change("app", subject -> subject.with(LOGS, Set.of()));
        assertThat(records().subject("app")).isEmpty();
        assertThat(records().subjects()).isEmpty();
    }

    @Test
    void lossIsRecordedWithTheRevisionOfItsChange() throws Exception {
        records().change("app", subject -> subject.with(LOGS, Set.of(Right.READ)));
        Subject lost = records()
                .change(
                        "app",
                        subject -> subject.with(LOGS, Set.of()).withRevocation(Optional.of(new Revocation(5000, 0))));
        assertThat(lost.revocation()).contains(new Revocation(5000, records().revision()));
        assertThat(records().subject("app")).contains(lost);
        assertThat(records().subjects()).containsExactly(lost);

        Subject later = records().change("app", subject -> subject.with(LOGS, Set.of(Right.WRITE)));
        assertThat(later.revocation()).isEqualTo(lost.revocation());
    }

    @Test
    void subjectIsRemovedWhenNothingButItsLossWasKept() throws Exception {
        records().change("app", subject -> subject.with(LOGS, Set.of(Right.READ)));
        records()
                .change(
                        "app",
                        subject -> subject.with(LOGS, Set.of()).withRevocation(Optional.of(new Revocation(5000, 0))));
        records().change("app", subject -> subject.withRevocation(Optional.empty()));
        assertThat(records().subject("app")).isEmpty();
        assertThat(records().subjects()).isEmpty();
    }

    @Test
    void refusedChangeChangesNothing() throws Exception {
        records().change("app", subject -> subject.with(LOGS, Set.of(Right.READ)));
        long revision = records().revision();
        Throwable refused = Assertions.catchThrowable(() -> records().change("app", subject -> {
            throw new CloudMwException(ErrorCode.PERMISSION_DENIED, "no");
        }));
        assertThat(refused)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
        assertThat(records().revision()).isEqualTo(revision);
        assertThat(records().subject("app").orElseThrow().may(Right.READ, VOLUME, "/logs/x"))
                .isTrue();
    }

    @Test
    void parallelChangesOfOneSubjectLoseNone() throws Exception {
        List<Callable<Boolean>> changes = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            GrantScope scope = new GrantScope(VOLUME, "/d" + i);
            changes.add(() -> succeeds(
                    () -> records().change("app", subject -> subject.with(scope, Set.of(Right.READ))),
                    ErrorCode.OVERLOADED));
        }
        int made = atOnce(changes);
        assertThat(made).isPositive();
        assertThat(records().subject("app").orElseThrow().grants()).hasSize(made);
    }
}
