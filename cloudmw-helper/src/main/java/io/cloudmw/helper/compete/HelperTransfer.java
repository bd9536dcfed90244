package io.cloudmw.helper.compete;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Race;
import io.cloudmw.core.race.RaceActions;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.block.WantedBlock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transfer at this helper. The transfer drives {@link Race} for the helper's racers and carries out the actions that
 * the race orders.
 *
 * <p>Any thread may call the public methods. They take effect in order, on the transfer's serial executor, where
 * everything private runs.
 */
public final class HelperTransfer {
    private static final Logger LOG = LoggerFactory.getLogger(HelperTransfer.class);

    private final TransferSpec spec;
    private final HelperServices services;
    private final Destination destination;
    private final Runnable removed;
    private final SerialExecutor executor;
    private final LaneLayout lanes;
    private final Race race;
    private final Rivals rivals;
    private final TransferAttempts attempts;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Map<BlockId, WantedBlock> blocks = new HashMap<>();
    private final Map<BlockId, CloudMwException> lastFailures = new HashMap<>();
    private final WakeUp wakeUp = new WakeUp(this::after);
    private int highestBlock = -1;
    private boolean closed;
    private Runnable atEnd = () -> {};

    /**
     * Does nothing before {@link #start}.
     *
     * @param removed run once, when the transfer is over
     */
    HelperTransfer(
            TransferSpec spec,
            BulkConnection bulk,
            HelperServices services,
            Destination destination,
            Runnable removed) {
        this.spec = spec;
        this.services = services;
        this.destination = destination;
        this.removed = removed;
        this.executor = new SerialExecutor(services.timing().threads(), this::broken);
        this.lanes = spec.lanes();
        this.race = new Race(
                services.policy().within(services.limits().blocks(), lanes.perHelper()),
                Set.copyOf(lanes.of(spec.self().rank())),
                new Actions());
        this.rivals = new Rivals(spec.solitary() ? 0 : spec.helpers().size(), spec.self());
        this.attempts = new TransferAttempts(spec, services, bulk, destination, new AttemptEvents());
    }

    public TransferSpec spec() {
        return spec;
    }

    /** Opens the links to rivals of higher rank, and begins to wait for rivals of lower rank. */
    void start() {
        reportProgress();
        if (spec.solitary()) {
            return;
        }
        post(this::joinRivals);
        if (after(services.limits().joinNanos(), this::dropAbsentRivals).isEmpty()) {
            LOG.debug("{}: the helper is closing", spec);
        }
    }

    private void joinRivals() {
        for (int rank = spec.self().rank() + 1; rank < spec.helpers().size(); rank++) {
            RacerId rival = new RacerId(rank);
            RivalLink link = services.links().rivals().connect(spec, rival, new RivalEvents(rival));
            try {
                rivals.linked(rival, link);
            } catch (CloudMwException e) {
                link.close();
            }
        }
    }

    /** Issues a block; blocks come in the order of their ids. */
    public void issue(WantedBlock block) {
        post(() -> {
            BlockId id = block.race().id();
            if (blocks.size() >= services.limits().blocks() || id.value() <= highestBlock) {
                fail(new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        spec + " " + block + ": out of order, or beyond the limit of "
                                + services.limits().blocks() + " blocks"));
                return;
            }
            highestBlock = id.value();
            blocks.put(id, block);
            drive(now -> race.issued(block.race(), now));
        });
    }

    /** Counts the hedges of the whole transfer. */
    public void hedged(HedgeCounts hedges) {
        services.meters().hedged(hedges.issued(), hedges.won(), hedges.suppressed());
    }

    /** Withdraws a block that the destination does not want any more. */
    public void withdraw(BlockId block) {
        post(() -> settle(block, now -> race.withdrawn(block, now)));
    }

    /** Settles a block that the destination has. */
    public void delivered(BlockId block) {
        post(() -> {
            if (attempts.hasSent(block)) {
                services.meters().won();
            }
            settle(block, now -> race.delivered(block, now));
        });
    }

    /** Checks the replica of a block that arrived damaged; {@link Destination#judged} follows. */
    public void doubt(BlockId block) {
        post(() -> attempts.doubt(block));
    }

    /** Shortens a block to its first {@code length} bytes. */
    public void shorten(BlockId block, long length) {
        post(() -> {
            WantedBlock wanted = blocks.get(block);
            if (wanted != null && length > 0 && length < wanted.length()) {
                drive(now -> race.shortened(block, length, now));
            }
        });
    }

    /** Drops a helper that the destination has lost. */
    public void racerGone(RacerId helper) {
        post(() -> gone(helper));
    }

    /** Runs a task after all earlier calls have taken effect; dropped when the transfer is over. */
    public void afterwards(Runnable task) {
        post(task);
    }

    /** Adds a rival of lower rank that has joined. A late rival, or a second one of the same rank, is refused. */
    void joined(RacerId racer, RivalLink link) {
        post(
                () -> {
                    try {
                        rivals.linked(racer, link);
                    } catch (CloudMwException e) {
                        LOG.debug("{} refused a rival: {}", spec, e.getMessage());
                        link.close();
                    }
                },
                link::close);
    }

    /** The listener for a rival that joins with this rank. */
    RivalLink.Listener rivalEvents(RacerId racer) {
        return new RivalEvents(racer);
    }

    /** Ends the transfer because the destination has everything; reports the end of attempts that still run. */
    public void finish() {
        if (ended.compareAndSet(false, true)) {
            executor.execute(() -> {
                try {
                    attempts.reportEnds();
                } finally {
                    free();
                    destination.ended();
                }
            });
        }
    }

    /** Ends the transfer at this helper. Idempotent. */
    public void close() {
        if (ended.compareAndSet(false, true)) {
            executor.execute(this::free);
        }
    }

    /** Fails the transfer. */
    void abort(CloudMwException cause) {
        post(() -> fail(cause));
    }

    private void fail(CloudMwException cause) {
        if (!closed && ended.compareAndSet(false, true)) {
            try {
                destination.failed(cause);
            } finally {
                free();
            }
        }
    }

    /** Runs {@code action} when the transfer is over, whatever ends it. */
    void atEnd(Runnable action) {
        post(() -> atEnd = action, action);
    }

    private void free() {
        if (closed) {
            return;
        }
        closed = true;
        race.close();
        wakeUp.cancel();
        blocks.clear();
        lastFailures.clear();
        // A failure of one must not keep the others open.
        try {
            attempts.close();
        } finally {
            try {
                rivals.close();
            } finally {
                removed.run();
                atEnd.run();
            }
        }
    }

    private void post(Runnable task) {
        post(task, () -> {});
    }

    private void post(Runnable task, Runnable otherwise) {
        executor.execute(() -> {
            if (closed) {
                otherwise.run();
                return;
            }
            task.run();
        });
    }

    private void broken(Throwable defect) {
        LOG.error("{} failed by a defect", spec, defect);
        fail(CloudMwException.ofDefect(spec.toString(), defect));
    }

    private void settle(BlockId block, LongConsumer event) {
        drive(event);
        blocks.remove(block);
        lastFailures.remove(block);
    }

    /** Drops a helper, named by its rank, with all of its racers. */
    private void gone(RacerId helper) {
        if (rivals.drop(helper)) {
            for (RacerId racer : lanes.of(helper.rank())) {
                if (!closed) {
                    drive(now -> race.rivalGone(racer, now));
                }
            }
        }
    }

    /** Schedules progress reports, also when nothing arrives: a destination takes a silent helper for dead. */
    private void reportProgress() {
        var unused = after(services.limits().progressNanos(), () -> {
            attempts.reportProgress();
            reportProgress();
        });
    }

    private void dropAbsentRivals() {
        for (int rank = 0; rank < spec.helpers().size(); rank++) {
            RacerId racer = new RacerId(rank);
            if (!rivals.settled(racer)) {
                LOG.debug("{}: racer {} did not join in time", spec, rank);
                gone(racer);
            }
        }
    }

    private void drive(LongConsumer event) {
        event.accept(services.ticker().nanos());
        scheduleWakeUp();
    }

    /** The actions that the race orders. */
    private final class Actions implements RaceActions {
        @Override
        public void start(AttemptId attempt, Block block, int replica) {
            WantedBlock wanted = blocks.get(block.id());
            if (wanted == null) {
                throw new IllegalStateException("start of a block that was never issued: " + attempt);
            }
            attempts.start(attempt, wanted, wanted.replicas().get(replica));
        }

        @Override
        public void cancel(AttemptId attempt) {
            attempts.cancel(attempt);
        }

        @Override
        public void shorten(AttemptId attempt, long length) {
            attempts.shorten(attempt, length);
        }

        @Override
        public void discard(AttemptId attempt) {
            attempts.discard(attempt);
        }

        @Override
        public void deliver(AttemptId attempt) {
            attempts.deliver(attempt);
        }

        @Override
        public void tell(RacerId rival, RivalNotice notice, BlockId block, RacerId self) {
            HelperTransfer.this.tell(rival, new RivalMessage(notice, block, self));
        }

        @Override
        public void reportLost(BlockId block, RacerId self, RacerId winner) {
            services.meters().lost();
            destination.lost(block, self, winner);
        }

        @Override
        public void reportForfeited(BlockId block, RacerId self, ErrorCode code) {
            services.meters().forfeited();
            CloudMwException last = lastFailures.get(block);
            String why = last == null ? "" : String.valueOf(last.getMessage());
            CloudMwException cause = last != null && last.code() == code ? last : new CloudMwException(code, why);
            destination.forfeited(block, self, cause);
        }
    }

    private void tell(RacerId racer, RivalMessage message) {
        RacerId helper = new RacerId(lanes.helper(racer));
        if (!rivals.send(helper, message)) {
            post(() -> gone(helper));
        }
    }

    private void scheduleWakeUp() {
        if (!closed) {
            wakeUp.schedule(race.wakeAtNanos(), services.ticker().nanos(), () -> drive(race::timePassed));
        }
    }

    private Optional<Future<?>> after(long delayNanos, Runnable task) {
        return Threads.later(services.timing().timer(), delayNanos, () -> post(task));
    }

    /** The events of attempts, on this transfer's executor. */
    private final class AttemptEvents implements TransferAttempts.Events {
        @Override
        public void post(Runnable task, Runnable otherwise) {
            HelperTransfer.this.post(task, otherwise);
        }

        @Override
        public void finished(AttemptId attempt) {
            drive(now -> race.finished(attempt, now));
        }

        @Override
        public void failed(AttemptId attempt, ErrorCode code) {
            drive(now -> race.failed(attempt, code, now));
        }

        @Override
        public void cancelled(AttemptId attempt) {
            drive(now -> race.cancelled(attempt, now));
        }

        @Override
        public void failed(BlockId block, CloudMwException cause) {
            if (blocks.containsKey(block)) {
                lastFailures.put(block, cause);
            }
        }
    }

    /** The events of one rival. */
    private final class RivalEvents implements RivalLink.Listener {
        private final RacerId racer;

        RivalEvents(RacerId racer) {
            this.racer = racer;
        }

        @Override
        public void received(RivalMessage message, Runnable handled) {
            post(() -> {
                if (message.block().value() > highestBlock + services.limits().blocks()) {
                    LOG.warn(
                            "{}: racer {} sent a message about block {}, which is too far ahead",
                            spec,
                            racer.rank(),
                            message.block().value());
                    gone(racer);
                    return;
                }
                RacerId sender = message.racer();
                if (!lanes.isHelpers(sender) || lanes.helper(sender) != racer.rank()) {
                    LOG.warn(
                            "{}: helper {} sent a message for racer {} of another helper",
                            spec,
                            racer.rank(),
                            sender.rank());
                    gone(racer);
                    return;
                }
                drive(now -> race.rivalSaid(sender, message.notice(), message.block(), now));
                handled.run();
            });
        }

        @Override
        public void ended(CloudMwException cause) {
            post(() -> {
                LOG.debug("{}: racer {} is gone: {}", spec, racer.rank(), cause.getMessage());
                gone(racer);
            });
        }
    }
}
