package io.cloudmw.coordinator.identity;

import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.time.WallClock;

/** The administrator's token, and those in the catalog. Safe for any thread. */
final class ClientTokens implements Enrolment.Tokens {
    private final AccessToken admin;
    private final SubjectRecords subjects;
    private final WallClock clock;

    ClientTokens(AccessToken admin, SubjectRecords subjects, WallClock clock) {
        this.admin = admin;
        this.subjects = subjects;
        this.clock = clock;
    }

    @Override
    public boolean isGood(AccessToken token) throws CloudMwException {
        if (token.isSameSecret(admin)) {
            return true;
        }
        String hash = token.sha256();
        Subject subject = subjects.subject(token.subject()).orElse(Subject.unknown(token.subject()));
        return subject.tokens().stream()
                .anyMatch(known -> known.sha256().equals(hash) && known.isGoodAt(clock.millis()));
    }
}
