package io.cloudmw.helper.compete;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.schedule.Due;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.compete.AttemptReport.State;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.relay.RelaySender;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attempts of one transfer: those that run, what the finished ones hold, and the relays of the won ones.
 * Confined to the transfer's executor, but for the listeners.
 */
final class TransferAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(TransferAttempts.class);

    /** Where things that happen go. */
    interface Events {
        /** Runs a task on the transfer's executor, or {@code otherwise} when the transfer is over. Any thread. */
        void post(Runnable task, Runnable otherwise);

        default void post(Runnable task) {
            post(task, () -> {});
        }

        /** An attempt holds its whole block. On the executor. */
        void finished(AttemptId attempt);

        /** An attempt failed. On the executor. */
        void failed(AttemptId attempt, ErrorCode code);

        /** An attempt has stopped. On the executor. */
        void cancelled(AttemptId attempt);

        /** On the executor: the last thing that went wrong with a block. */
        void failed(BlockId block, CloudMwException cause);
    }

    private final TransferSpec spec;
    private final HelperServices around;
    private final BulkConnection bulk;
    private final Destination destination;
    private final Events events;
    private final Requester requester;
    private final Map<AttemptId, Entry> entries = new HashMap<>();

    TransferAttempts(
            TransferSpec spec, HelperServices around, BulkConnection bulk, Destination destination, Events events) {
        this.spec = spec;
        this.around = around;
        this.bulk = bulk;
        this.destination = destination;
        this.events = events;
        this.requester = new Requester(
                spec.tenant(),
                new Due(spec.urgency(), around.ticker()).deadlineNanos(),
                around.stores().resolver(spec),
                around.trees().upstream(spec),
                report -> around.faults().report(spec.claims(), report));
    }

    void start(AttemptId id, WantedBlock block, StoreId store) {
        Entry entry = new Entry(id, block, store);
        entries.put(id, entry);
        try {
            BlockFetcher way = spec.shared() && block.race().isCutThrough() ? around.shared() : around.own();
            entry.attempt = way.start(requester, block, store, entry);
        } catch (CloudMwException e) {
            entry.failed(e, 0);
        }
    }

    void cancel(AttemptId id) {
        Entry entry = entries.get(id);
        if (entry != null && entry.attempt != null) {
            entry.cancelling = true;
            entry.attempt.cancel();
            entry.endRelay();
        }
    }

    /** The attempt is through when it has so many bytes. */
    void shorten(AttemptId id, long length) {
        Entry entry = entries.get(id);
        if (entry != null && entry.attempt != null) {
            entry.attempt.shorten(length);
        }
    }

    /** Says of every attempt that waits or fetches how far it is, and ends those that have waited for too long. */
    void signOfLife() {
        List.copyOf(entries.values()).forEach(Entry::signOfLife);
    }

    /** Says of every attempt that still fetches how far it has come, as its end. */
    void lastWords() {
        entries.values().forEach(Entry::lastWords);
    }

    /**
     * The destination got a leaf of this block that is not what its checksum says. The replica it came from is looked at,
     * whatever becomes of the attempt meanwhile: the destination and the network may be wrong, too.
     */
    void doubt(BlockId block) {
        for (Entry entry : List.copyOf(entries.values())) {
            if (entry.id.block().equals(block) && entry.relay != null) {
                entry.doubt();
                return;
            }
        }
        destination.judged(block); // it failed here as well, and that was told
    }

    /** Whether the destination took anything of this block from here. */
    boolean hasBrought(BlockId block) {
        return entries.values().stream().anyMatch(entry -> entry.id.block().equals(block) && entry.handedBytes() > 0);
    }

    void discard(AttemptId id) {
        Entry entry = entries.remove(id);
        if (entry != null) {
            entry.drop();
        }
    }

    void deliver(AttemptId id) {
        Entry entry = entries.get(id);
        if (entry == null) {
            return; // it failed while it was being started
        }
        if (entry.held == null && !entry.block.race().isCutThrough()) {
            throw new IllegalStateException("nothing held to deliver: " + id);
        }
        entry.deliver();
    }

    void close() {
        for (Entry entry : new ArrayList<>(entries.values())) {
            if (entry.attempt != null) {
                entry.attempt.cancel();
            }
            entry.drop();
        }
        entries.clear();
    }

    /** One attempt, from its start until nothing of it is left. Its listener methods are called by any thread. */
    private final class Entry implements BlockAttempt.Listener, RelaySender.Listener {
        private final AttemptId id;
        private final WantedBlock block;
        private final StoreId store;
        private final AtomicLong reportedNanos = new AtomicLong(around.ticker().nanos());
        private @Nullable BlockAttempt attempt;
        /** Since when its store is asked, or, before that, it waits for room here. */
        private long startedNanos = around.ticker().nanos();
        /** Its store is asked. */
        private volatile boolean begun;
        /** What it has so far; owned by the attempt. */
        private volatile @Nullable FetchedBlock growing;

        private @Nullable FetchedBlock held;
        private volatile @Nullable RelaySender relay;
        /** To be relayed: when held, or, cut through, from its first leaf. */
        private volatile boolean delivers;

        /** All of it was here, whatever became of that. */
        private boolean whole;

        /** How much that was; meaningless before. */
        private long wholeBytes;

        /** What it fetched, and how much of that went to the destination, was counted. */
        private final AtomicBoolean accounted = new AtomicBoolean();

        private boolean cancelling;
        private boolean doubted;

        /** It was offered, and the destination's connection had no stream left: offered again now and then. */
        private volatile boolean crowded;

        /** Since when; meaningless unless it is. */
        private long crowdedNanos;

        Entry(AttemptId id, WantedBlock block, StoreId store) {
            this.id = id;
            this.block = block;
            this.store = store;
        }

        void report(State state, long bytes, @Nullable CloudMwException cause) {
            destination.attempt(new AttemptReport(id, store, state, bytes, nanosSince(startedNanos), cause));
        }

        private long nanosSince(long nanos) {
            return around.ticker().nanos() - nanos;
        }

        void signOfLife() {
            if (crowded && relay == null) {
                offerAgain();
            } else {
                crowded = false;
            }
            if (begun) {
                reported(fetchedBytes());
            } else if (attempt != null) {
                waits(attempt);
            }
        }

        private void waits(BlockAttempt waiting) {
            CloudMwException overloaded = overloaded("no thread was free to fetch it");
            if (nanosSince(startedNanos) < around.limits().waitNanos() || !waiting.expire(overloaded)) {
                report(State.WAITING, 0, null);
            }
        }

        private CloudMwException overloaded(String what) {
            long millis = TimeUnit.NANOSECONDS.toMillis(around.limits().waitNanos());
            return new CloudMwException(
                    ErrorCode.OVERLOADED, block + " store=" + store + ": " + what + " for " + millis + " ms");
        }

        void lastWords() {
            if (!whole && begun && attempt != null) {
                stopped(attempt.bytesRead());
            }
        }

        private long fetchedBytes() {
            FetchedBlock sofar = growing;
            return sofar == null ? 0 : sofar.availableBytes();
        }

        /** Reports an attempt's end that was not waited for: who had everything by then has finished. */
        private void stopped(long bytes) {
            report(bytes < block.length() ? State.CANCELLED : State.FINISHED, bytes, null);
        }

        /** Reports, unless that was done lately; any thread. */
        private void reported(long bytes) {
            long last = reportedNanos.get();
            long now = around.ticker().nanos();
            if (now - last >= around.limits().progressNanos() && reportedNanos.compareAndSet(last, now)) {
                events.post(() -> {
                    if (entries.containsKey(id) && !whole) {
                        report(State.PROGRESSED, bytes, null);
                    }
                });
            }
        }

        /** What the destination took before it wanted no more was a relay all the same. */
        void endRelay() {
            RelaySender open = relay;
            if (open != null && open.cancel() && open.handedBytes() > 0) {
                around.meters().relayed();
            }
        }

        long handedBytes() {
            RelaySender open = relay;
            return open == null ? 0 : open.handedBytes();
        }

        /** Nothing more of it is fetched or relayed; what ends it first counts. Any thread. */
        private void account(long fetchedBytes) {
            if (accounted.compareAndSet(false, true)) {
                long handed = handedBytes();
                around.meters().brought(handed, Math.max(0, fetchedBytes - handed));
            }
        }

        void deliver() {
            delivers = true;
            offer();
        }

        /** A stream may be free now. Until then the destination hears that this block waits, unless it is coming still. */
        private void offerAgain() {
            if (nanosSince(crowdedNanos) >= around.limits().waitNanos()) {
                crowded = false;
                delivers = false;
                unsendable(overloaded("no stream to the destination was free"));
                return;
            }
            if (held != null) {
                report(State.WAITING, held.availableBytes(), null);
            }
            offer();
        }

        /** Nothing is said of it any more: the destination wants it of another. */
        private void unsendable(CloudMwException cause) {
            around.meters().relayFailed();
            letGo();
            events.failed(id.block(), cause);
            around.meters().forfeited();
            destination.forfeited(id.block(), id.racer(), cause);
        }

        /** Opens the relay when there is something to send. */
        private void offer() {
            FetchedBlock there = held == null ? growing : held;
            if (delivers && relay == null && there != null && there.availableBytes() > 0 && !cancelling) {
                relay(there);
            }
        }

        void drop() {
            endRelay();
            long read = attempt == null ? 0 : attempt.bytesRead();
            account(whole ? wholeBytes : read);
            letGo();
        }

        void relay(FetchedBlock fetched) {
            byte[] offer = around.offers().encode(spec.id(), block.race().id(), id.racer(), store);
            RelaySender started = RelaySender.start(bulk, offer, fetched, this);
            relay = started;
            started.advanced();
        }

        @Override
        public void began(FetchedBlock block) {
            growing = block;
            events.post(() -> {
                startedNanos = around.ticker().nanos();
                report(State.STARTED, 0, null);
            });
            around.meters().started();
            begun = true;
        }

        @Override
        public void progressed(long bytes) {
            RelaySender open = relay;
            if (open != null) {
                open.advanced();
            } else if (delivers && !crowded) {
                events.post(this::offer);
            }
            reported(bytes);
        }

        @Override
        public void finished(FetchedBlock fetched) {
            events.post(() -> arrived(fetched), fetched::close);
        }

        private void arrived(FetchedBlock fetched) {
            if (cancelling) {
                fetched.close();
                cancelled(fetched.availableBytes());
                return;
            }
            held = fetched;
            whole = true;
            wholeBytes = fetched.availableBytes();
            report(State.FINISHED, fetched.availableBytes(), null);
            RelaySender open = relay;
            if (open != null) {
                open.advanced();
            } else {
                offer();
            }
            events.finished(id);
        }

        @Override
        public void failed(CloudMwException cause, long bytes) {
            events.post(() -> {
                entries.remove(id);
                RelaySender open = relay;
                if (open != null && open.fail(cause)) {
                    around.meters().relayFailed();
                }
                around.meters().failed();
                account(bytes);
                report(State.FAILED, bytes, cause);
                reportFault(cause);
                events.failed(id.block(), cause);
                events.failed(id, cause.code());
            });
        }

        @Override
        public void cancelled(long bytes) {
            if (begun) {
                around.meters().cancelled();
            }
            account(bytes);
            events.post(() -> {
                entries.remove(id);
                if (begun) {
                    stopped(bytes);
                }
                events.cancelled(id);
            });
        }

        @Override
        public void sent() {
            around.meters().relayed();
        }

        /**
         * Its bytes are of no use any more: the destination will say what it wants instead. Unless there was no stream for
         * it, of which the destination knows nothing.
         */
        @Override
        public void failed(CloudMwException cause) {
            if (cause.code() == ErrorCode.OVERLOADED && !bulk.isClosed()) {
                events.post(this::crowded);
                return;
            }
            LOG.debug("{} relay of {} ended: {}", spec, block, cause.getMessage());
            // A relay can end before the event that started it has noted it: this waits for that event.
            events.post(
                    () -> {
                        countRelay(cause);
                        letGo();
                    },
                    () -> countRelay(cause));
        }

        private void countRelay(CloudMwException cause) {
            if (cause.code() == ErrorCode.CANCELLED && handedBytes() > 0) {
                around.meters().relayed(); // it wanted no more of it
            } else {
                around.meters().relayFailed();
            }
        }

        private void crowded() {
            relay = null;
            if (!crowded) {
                crowded = true;
                crowdedNanos = around.ticker().nanos();
            }
        }

        private void letGo() {
            if (held != null) {
                held.close();
                held = null;
            }
        }

        void doubt() {
            if (doubted) {
                return;
            }
            doubted = true;
            if (spec.shared()) {
                around.shared().doubt(block);
            }
            try {
                around.fetcher().check(requester, block, store, wrong -> {
                    Runnable report = () -> reportFault(wrong);
                    events.post(
                            () -> {
                                report.run();
                                destination.judged(id.block());
                            },
                            report);
                });
            } catch (CloudMwException e) {
                LOG.warn("{} {} store={} was doubted and not looked at", spec, block, store, e);
                destination.judged(id.block());
            }
        }

        /** The coordinator was told by whoever read it. */
        private void reportFault(@Nullable CloudMwException cause) {
            if (cause == null) {
                LOG.warn("{} {} store={} arrived damaged; the replica is right", spec, block, store);
                return;
            }
            if (cause.code().isOfReplica()) {
                around.meters().fault();
                destination.fault(block.leaves().chunk(), store, cause.code());
            }
        }
    }
}
