package io.cloudmw.helper.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.RevokedHolders;
import io.cloudmw.core.security.TokenHolder;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.proto.v1.FollowRevocationsRequest;
import io.cloudmw.proto.v1.RevocationEvent;
import io.cloudmw.proto.v1.RevokedHolder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the call by which a helper learns of revocations, with a clock of their own. */
final class RevocationFollowerTest implements RevocationFollower.Calls {
    private static final String APP = "cloudmw://prod/client/app";
    private static final RevocationEvent UNCHANGED =
            RevocationEvent.newBuilder().setUnchanged(true).build();

    private final List<ClientResponseObserver<FollowRevocationsRequest, RevocationEvent>> calls = new ArrayList<>();
    private final RevokedHolders revoked = new RevokedHolders();
    private final TransferTokens tokens =
            new TransferTokens(ClusterSecret.of(new byte[32]), () -> 0).boundAndNot(revoked);
    private long nanos;
    private int turns;
    private int cancelled;
    private final RevocationFollower follower =
            new RevocationFollower(new HelperId("h1"), this, revoked, () -> nanos, new SplittableRandom(1));

    @Override
    public void follow(HelperId self, ClientResponseObserver<FollowRevocationsRequest, RevocationEvent> events) {
        assertThat(self).isEqualTo(new HelperId("h1"));
        calls.add(events);
        events.beforeStart(new Started());
    }

    @Override
    public void followElsewhere() {
        turns++;
    }

    private final class Started extends ClientCallStreamObserver<FollowRevocationsRequest> {
        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
            cancelled++;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {
            throw new AssertionError("one request is sent");
        }

        @Override
        public void request(int count) {
            throw new AssertionError("events come as they are");
        }

        @Override
        public void setMessageCompression(boolean enabled) {
            throw new AssertionError("no compression");
        }

        @Override
        public void disableAutoInboundFlowControl() {
            throw new AssertionError("events come as they are");
        }

        @Override
        public void onNext(FollowRevocationsRequest request) {
            throw new AssertionError("gRPC sends the request");
        }

        @Override
        public void onError(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void onCompleted() {
            throw new AssertionError("gRPC ends the requests");
        }
    }

    private static RevocationEvent list(long revision) {
        return RevocationEvent.newBuilder()
                .addRevoked(RevokedHolder.newBuilder().setIdentity(APP).setRevision(revision))
                .build();
    }

    private boolean isGood(long revision) {
        TransferClaims claims = new TransferClaims(
                Set.of(TransferRight.READ),
                FilePath.parse("v:/f"),
                VersionId.random(),
                1000,
                Optional.of(new TokenHolder(APP, 0, revision)));
        try {
            tokens.requireNotRevoked(claims);
            return true;
        } catch (CloudMwException e) {
            return false;
        }
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
        follower.step();
    }

    @Test
    void eachListReplacesTheLastAndASignOfLifeDoesNot() {
        follower.step();
        assertThat(isGood(6)).isTrue();
        calls.get(0).onNext(list(7));
        assertThat(isGood(6)).isFalse();
        assertThat(isGood(7)).isTrue();
        calls.get(0).onNext(UNCHANGED);
        assertThat(isGood(6)).isFalse();
        calls.get(0).onNext(RevocationEvent.getDefaultInstance());
        assertThat(isGood(6)).isTrue();
    }

    @Test
    void silentCoordinatorIsLeftAndItsListHoldsMeanwhile() {
        follower.step();
        calls.get(0).onNext(list(7));
        pass(RevocationFollower.SILENCE);
        calls.get(0).onNext(UNCHANGED);
        pass(RevocationFollower.SILENCE);
        assertThat(turns).isZero();
        pass(Duration.ofNanos(1));
        assertThat(turns).isEqualTo(1);
        assertThat(cancelled).isEqualTo(1);
        calls.get(0).onError(new IllegalStateException("cancelled"));
        assertThat(turns).isEqualTo(1);
        pass(Duration.ofSeconds(2));
        assertThat(calls).hasSize(2);
        assertThat(isGood(6)).isFalse();
        calls.get(0).onNext(RevocationEvent.getDefaultInstance());
        assertThat(isGood(6)).as("the former coordinator is not heard any more").isFalse();
    }

    @Test
    void pausesGrowWhileNoCoordinatorAnswers() {
        follower.step();
        for (int i = 0; i < 20; i++) {
            calls.get(calls.size() - 1).onError(new IllegalStateException("unavailable"));
            pass(Duration.ofSeconds(2));
        }
        assertThat(calls).hasSize(21);
        calls.get(20).onError(new IllegalStateException("unavailable"));
        pass(Duration.ofMillis(999));
        assertThat(calls).hasSize(21);
        pass(Duration.ofMillis(1001));
        calls.get(21).onNext(UNCHANGED);
        calls.get(21).onCompleted();
        pass(Duration.ofMillis(100));
        assertThat(calls).hasSize(23);
    }

    @Test
    void closedFollowerEndsItsCallAndBeginsNoOther() {
        follower.step();
        follower.close();
        assertThat(cancelled).isEqualTo(1);
        calls.get(0).onNext(list(7));
        calls.get(0).onError(new IllegalStateException("cancelled"));
        pass(Duration.ofMinutes(1));
        assertThat(calls).hasSize(1);
        assertThat(isGood(6)).isTrue();
    }
}
