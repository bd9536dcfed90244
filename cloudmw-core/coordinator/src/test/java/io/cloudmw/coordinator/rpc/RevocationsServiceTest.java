package io.cloudmw.coordinator.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.grant.KnownSubjects;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Revocation;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.RevokedHolders;
import io.cloudmw.core.security.TokenHolder;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.proto.v1.FollowRevocationsRequest;
import io.cloudmw.proto.v1.RevocationEvent;
import io.cloudmw.proto.v1.RevokedHolder;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RevocationsServiceTest {
    private static final RevocationEvent UNCHANGED =
            RevocationEvent.newBuilder().setUnchanged(true).build();

    private final InMemoryCatalog catalog = new InMemoryCatalog();
    private final AtomicLong nanos = new AtomicLong();
    private final KnownSubjects known = new KnownSubjects(catalog.subjects(), nanos::get);
    private final RevokedHolders here = new RevokedHolders();
    private final RevocationsService service = new RevocationsService(known, Optional.of("prod"), here, () -> 5000);

    @BeforeEach
    void look() throws Exception {
        known.look();
    }

    /** The call of a helper. */
    private static final class Call extends ServerCallStreamObserver<RevocationEvent> {
        final List<RevocationEvent> events = new ArrayList<>();
        boolean ready = true;

        @Nullable
        Throwable failure;

        @Nullable
        Runnable readyHandler;

        @Nullable
        Runnable cancelHandler;

        @Override
        public void onNext(RevocationEvent event) {
            events.add(event);
        }

        @Override
        public void onError(Throwable thrown) {
            failure = thrown;
        }

        @Override
        public void onCompleted() {
            throw new AssertionError("the service does not complete a call");
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {
            cancelHandler = handler;
        }

        @Override
        public void setCompression(String compression) {
            throw new AssertionError("no compression");
        }

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {
            readyHandler = handler;
        }

        @Override
        public void request(int count) {
            throw new AssertionError("there is one request");
        }

        @Override
        public void setMessageCompression(boolean enabled) {
            throw new AssertionError("no compression");
        }

        @Override
        public void disableAutoInboundFlowControl() {
            throw new AssertionError("there is one request");
        }

        ErrorCode code() {
            return RpcErrors.fromStatus(Objects.requireNonNull(failure), ErrorCode.INTERNAL, "coordinator")
                    .code();
        }
    }

    private Call follow(RevocationsService by, String helper) {
        Call call = new Call();
        by.followRevocations(
                FollowRevocationsRequest.newBuilder().setHelperId(helper).build(), call);
        return call;
    }

    private long take(String subject) throws Exception {
        Subject changed = catalog.subjects()
                .change(subject, before -> before.withRevocation(Optional.of(new Revocation(5000, 0))));
        known.look();
        return changed.revocation().orElseThrow().revision();
    }

    private static RevokedHolder holder(String subject, long revision) {
        return RevokedHolder.newBuilder()
                .setIdentity("cloudmw://prod/client/" + subject)
                .setRevision(revision)
                .build();
    }

    @Test
    void followerGetsTheWholeListAtOnceAndAfterEachChange() throws Exception {
        long first = take("app");
        Call call = follow(service, "h1");
        assertThat(call.events).hasSize(1);
        assertThat(call.events.get(0).getRevokedList()).containsExactly(holder("app", first));

        long second = take("other");
        assertThat(call.events).hasSize(2);
        assertThat(call.events.get(1).getUnchanged()).isFalse();
        assertThat(call.events.get(1).getRevokedList())
                .containsExactlyInAnyOrder(holder("app", first), holder("other", second));
    }

    @Test
    void coordinatorItselfRefusesTokensFromBeforeALoss() throws Exception {
        TransferTokens tokens = new TransferTokens(
                ClusterSecret.of(new byte[32]),
                TransferTokens.MAX_LIFE,
                () -> 5000,
                () -> Optional.of(new TokenHolder("cloudmw://prod/client/app", 5000, known.revision())));
        TransferTokens verifier = tokens.boundAndNot(here);
        TransferClaims claims =
                new TransferClaims(Set.of(TransferRight.READ), FilePath.parse("v:/f"), VersionId.random(), 6000);
        byte[] before = tokens.issue(claims).bytes();
        assertThat(verifier.verify(before).file()).isEqualTo(claims.file());
        take("app");
        CloudMwException refusal = catchThrowableOfType(CloudMwException.class, () -> verifier.verify(before));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(verifier.verify(tokens.issue(claims).bytes()).file()).isEqualTo(claims.file());
    }

    @Test
    void idleFollowerHearsThatNothingChanged() {
        Call call = follow(service, "h1");
        service.beat();
        assertThat(call.events).containsExactly(RevocationEvent.getDefaultInstance(), UNCHANGED);
    }

    @Test
    void slowFollowerGetsTheNewestListAlone() throws Exception {
        Call call = follow(service, "h1");
        call.ready = false;
        take("app");
        long last = take("app");
        service.beat();
        assertThat(call.events).hasSize(1);
        call.ready = true;
        Objects.requireNonNull(call.readyHandler).run();
        assertThat(call.events).hasSize(2);
        assertThat(call.events.get(1).getRevokedList()).containsExactly(holder("app", last));
    }

    @Test
    void followerHearsNothingWhileTheCatalogDoesNotAnswer() throws Exception {
        Call call = follow(service, "h1");
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        service.beat();
        assertThat(call.events).hasSize(1);
        known.look();
        service.beat();
        assertThat(call.events).hasSize(2);
    }

    @Test
    void secondCallOfAHelperEndsItsFirst() {
        Call first = follow(service, "h1");
        Call second = follow(service, "h1");
        assertThat(first.code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(second.failure).isNull();
        Objects.requireNonNull(first.cancelHandler).run();
        assertThat(service.followers()).isEqualTo(1);
        Objects.requireNonNull(second.cancelHandler).run();
        assertThat(service.followers()).isZero();
    }

    @Test
    void followersBeyondTheNumberOfHelpersAreRefused() {
        for (int i = 0; i < RevocationsService.MAX_FOLLOWERS; i++) {
            assertThat(follow(service, "h" + i).failure).isNull();
        }
        assertThat(follow(service, "more").code()).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(follow(service, "h0").failure).isNull();
    }

    @Test
    void stoppingCoordinatorEndsCallsAndTakesNoMore() {
        Call call = follow(service, "h1");
        service.close();
        assertThat(call.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        assertThat(follow(service, "h2").code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    }

    @Test
    void nobodyFollowsInPlainText() {
        RevocationsService plain = new RevocationsService(known, Optional.empty(), here, () -> 5000);
        assertThat(follow(plain, "h1").code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
}
