package io.cloudmw.helper.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.security.RevokedHolders;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.proto.v1.FollowRevocationsRequest;
import io.cloudmw.proto.v1.RevocationEvent;
import io.cloudmw.proto.v1.RevokedHolder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The call by which a helper learns whose tokens were revoked. It follows one coordinator. When the call ends, or the
 * coordinator is silent for too long, it follows the next one, with a growing pause while none answers. Meanwhile the
 * last list holds. Safe for any thread.
 */
public final class RevocationFollower implements AutoCloseable {
    /** A coordinator sends something each second. */
    static final Duration SILENCE = Duration.ofSeconds(5);

    private static final Duration STEP = Duration.ofMillis(200);
    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(2));

    /** A failure that goes on is told again after so many tries, which are some seconds apart. */
    private static final int FAILURES_PER_WARNING = 20;

    private static final Logger LOG = LoggerFactory.getLogger(RevocationFollower.class);

    /** Makes the calls. */
    interface Calls {
        /** Begins a call at the present coordinator. Never blocks. */
        void follow(HelperId self, ClientResponseObserver<FollowRevocationsRequest, RevocationEvent> events);

        /** Makes the next coordinator the present one. */
        void followElsewhere();
    }

    private final HelperId self;
    private final Calls coordinators;
    private final RevokedHolders revoked;
    private final Ticker ticker;
    private final RandomGenerator random;

    @GuardedBy("this")
    private @Nullable Following running;

    @GuardedBy("this")
    private long heardNanos;

    @GuardedBy("this")
    private long dueNanos;

    @GuardedBy("this")
    private int failures;

    @GuardedBy("this")
    private boolean closed;

    /** @param revoked gets each list */
    public RevocationFollower(
            HelperId self,
            CoordinatorCalls coordinators,
            RevokedHolders revoked,
            Ticker ticker,
            RandomGenerator random) {
        this(self, coordinators.revocations(), revoked, ticker, random);
    }

    RevocationFollower(
            HelperId self, Calls coordinators, RevokedHolders revoked, Ticker ticker, RandomGenerator random) {
        this.self = self;
        this.coordinators = coordinators;
        this.revoked = revoked;
        this.ticker = ticker;
        this.random = random;
        this.dueNanos = ticker.nanos();
    }

    /** Begins to follow, on a timer of the caller's. */
    public void start(ScheduledExecutorService timer) {
        var unused = timer.scheduleWithFixedDelay(this::stepAgain, 0, STEP.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Makes a step; an exception would end the schedule. */
    private void stepAgain() {
        try {
            step();
        } catch (RuntimeException | Error e) {
            LOG.error("helper {}: following revocations failed by a defect; retrying", self, e);
        }
    }

    /** Begins a call when one is due, and ends one that is silent. */
    void step() {
        Following begun = null;
        Following silent = null;
        synchronized (this) {
            long now = ticker.nanos();
            if (closed) {
                return;
            }
            if (running == null && now - dueNanos >= 0) {
                begun = new Following();
                running = begun;
                heardNanos = now;
            } else if (running != null && now - heardNanos > SILENCE.toNanos()) {
                silent = running;
            }
        }
        if (begun != null) {
            coordinators.follow(self, begun);
        }
        if (silent != null) {
            ended(silent, "nothing was heard for " + SILENCE.toSeconds() + " s");
            silent.cancel();
        }
    }

    /** @param told empty map: nobody was revoked; null: as before */
    private void heard(Following from, @Nullable Map<String, Long> told) {
        synchronized (this) {
            if (running != from || closed) {
                return;
            }
            heardNanos = ticker.nanos();
            if (failures > 0) {
                LOG.info("helper {} follows revocations again", self);
            }
            failures = 0;
        }
        if (told != null) {
            revoked.replace(told);
        }
    }

    private void ended(Following call, String why) {
        synchronized (this) {
            if (running != call || closed) {
                return;
            }
            running = null;
            failures++;
            dueNanos = ticker.nanos() + BACKOFF.halfJitterNanos(failures, random);
            if (failures == 1) {
                LOG.debug("helper {} does not follow revocations: {}; retrying", self, why);
            } else if (failures % FAILURES_PER_WARNING == 0) {
                LOG.warn("helper {} does not follow revocations: {}; retrying", self, why);
            }
        }
        coordinators.followElsewhere();
    }

    /** Ends the call. Idempotent. */
    @Override
    public void close() {
        Following last;
        synchronized (this) {
            closed = true;
            last = running;
            running = null;
        }
        if (last != null) {
            last.cancel();
        }
    }

    /** A call at one coordinator. */
    private final class Following implements ClientResponseObserver<FollowRevocationsRequest, RevocationEvent> {
        private volatile @Nullable ClientCallStreamObserver<FollowRevocationsRequest> call;

        @Override
        public void beforeStart(ClientCallStreamObserver<FollowRevocationsRequest> started) {
            call = started;
        }

        @Override
        public void onNext(RevocationEvent event) {
            heard(this, event.getUnchanged() ? null : revisions(event));
        }

        @Override
        public void onError(Throwable cause) {
            ended(this, String.valueOf(cause.getMessage()));
        }

        @Override
        public void onCompleted() {
            ended(this, "the coordinator ended the call");
        }

        void cancel() {
            ClientCallStreamObserver<FollowRevocationsRequest> open = call;
            if (open != null) {
                open.cancel("the helper follows no longer", null);
            }
        }
    }

    private static Map<String, Long> revisions(RevocationEvent event) {
        Map<String, Long> revisions = new HashMap<>();
        for (RevokedHolder holder : event.getRevokedList()) {
            revisions.merge(holder.getIdentity(), holder.getRevision(), Math::max);
        }
        return revisions;
    }
}
