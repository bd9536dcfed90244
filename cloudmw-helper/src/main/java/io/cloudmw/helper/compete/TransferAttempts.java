package io.cloudmw.helper.compete;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.schedule.LocalDeadline;
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
 * The attempts of one transfer, with the blocks of finished ones and the relays of won ones. Confined to the transfer's
 * executor, except the listener methods.
 */
final class TransferAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(TransferAttempts.class);

    /** The events of attempts. */
    interface Events {
        /** Runs a task on the transfer's executor, or {@code otherwise} when the transfer is over. Any thread. */
        void post(Runnable task, Runnable otherwise);

        default void post(Runnable task) {
            post(task, () -> {});
        }

        /** An attempt has its whole block. On the executor. */
        void finished(AttemptId attempt);

        /** An attempt failed. On the executor. */
        void failed(AttemptId attempt, ErrorCode code);

        /** An attempt was cancelled. On the executor. */
        void cancelled(AttemptId attempt);

        /** The last failure of a block. On the executor. */
        void failed(BlockId block, CloudMwException cause);
    }

    private final TransferSpec spec;
    private final HelperServices services;
    private final BulkConnection bulk;
    private final Destination destination;
    private final Events events;
    private final Requester requester;
    private final Map<AttemptId, Entry> entries = new HashMap<>();

    TransferAttempts(
            TransferSpec spec, HelperServices services, BulkConnection bulk, Destination destination, Events events) {
        this.spec = spec;
        this.services = services;
        this.bulk = bulk;
        this.destination = destination;
        this.events = events;
        this.requester = new Requester(
                spec.tenant(),
                new LocalDeadline(spec.urgency(), services.ticker()).deadlineNanos(),
                services.links().stores().resolver(spec),
                services.links().trees().upstream(spec),
                report -> services.reporter().report(spec.claims(), report));
    }

    void start(AttemptId id, WantedBlock block, StoreId store) {
        Entry entry = new Entry(id, block, store);
        entries.put(id, entry);
        try {
            BlockFetcher fetcher = spec.shared() && block.race().isCutThrough()
                    ? services.fetchers().shared()
                    : services.fetchers().raced();
            entry.attempt = fetcher.start(requester, block, store, entry);
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

    /** Shortens an attempt to the first {@code length} bytes of its block. */
    void shorten(AttemptId id, long length) {
        Entry entry = entries.get(id);
        if (entry != null && entry.attempt != null) {
            entry.attempt.shorten(length);
        }
    }

    /** Reports the progress of every attempt that waits or fetches, and fails those that have waited for too long. */
    void reportProgress() {
        List.copyOf(entries.values()).forEach(Entry::reportProgress);
    }

    /** Reports the end of every attempt that still fetches. */
    void reportEnds() {
        entries.values().forEach(Entry::reportEnds);
    }

    /**
     * Checks the replica of a block of which the destination got a damaged leaf. The check does not depend on the
     * attempt, since the destination or the network may be at fault, too.
     */
    void doubt(BlockId block) {
        for (Entry entry : List.copyOf(entries.values())) {
            if (entry.id.block().equals(block) && entry.relay != null) {
                entry.doubt();
                return;
            }
        }
        destination.judged(block); // the attempt failed here, which was reported
    }

    /** Returns whether the destination got bytes of a block from this helper. */
    boolean hasSent(BlockId block) {
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
            return; // the attempt failed while it was being started
        }
        if (entry.held == null && !entry.block.race().isCutThrough()) {
            throw new IllegalStateException("no block to deliver: " + id);
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

    /** An attempt, from its start until its block is released. Any thread calls the listener methods. */
    private final class Entry implements BlockAttempt.Listener, RelaySender.Listener {
        private final AttemptId id;
        private final WantedBlock block;
        private final StoreId store;
        private final AtomicLong reportedNanos =
                new AtomicLong(services.ticker().nanos());
        private @Nullable BlockAttempt attempt;
        /** Time when the store was asked or, before that, when the attempt began to wait. */
        private long startedNanos = services.ticker().nanos();
        /** True after the store was asked. */
        private volatile boolean begun;
        /** The block as far as it is fetched; owned by the attempt. */
        private volatile @Nullable FetchedBlock growing;

        private @Nullable FetchedBlock held;
        private volatile @Nullable RelaySender relay;
        /** True when the block is to be relayed: once it is whole or, with cut-through, from its first leaf. */
        private volatile boolean delivers;

        /** True after the whole block was here. */
        private boolean whole;

        /** Length of the whole block; meaningless before. */
        private long wholeBytes;

        /** True after the bytes fetched and sent were counted. */
        private final AtomicBoolean accounted = new AtomicBoolean();

        private boolean cancelling;
        private boolean doubted;

        /** True while the destination's connection has no free stream; the block is offered again from time to time. */
        private volatile boolean crowded;

        /** Time since when there is no free stream; meaningless otherwise. */
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
            return services.ticker().nanos() - nanos;
        }

        void reportProgress() {
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
            if (nanosSince(startedNanos) < services.limits().waitNanos() || !waiting.expire(overloaded)) {
                report(State.WAITING, 0, null);
            }
        }

        private CloudMwException overloaded(String what) {
            long millis = TimeUnit.NANOSECONDS.toMillis(services.limits().waitNanos());
            return new CloudMwException(
                    ErrorCode.OVERLOADED, block + " store=" + store + ": " + what + " for " + millis + " ms");
        }

        void reportEnds() {
            if (!whole && begun && attempt != null) {
                stopped(attempt.bytesRead());
            }
        }

        private long fetchedBytes() {
            FetchedBlock sofar = growing;
            return sofar == null ? 0 : sofar.availableBytes();
        }

        /** Reports an end that was not awaited; an attempt that has all bytes counts as finished. */
        private void stopped(long bytes) {
            report(bytes < block.length() ? State.CANCELLED : State.FINISHED, bytes, null);
        }

        /** Reports progress, unless that was done lately; any thread. */
        private void reported(long bytes) {
            long last = reportedNanos.get();
            long now = services.ticker().nanos();
            if (now - last >= services.limits().progressNanos() && reportedNanos.compareAndSet(last, now)) {
                events.post(() -> {
                    if (entries.containsKey(id) && !whole) {
                        report(State.PROGRESSED, bytes, null);
                    }
                });
            }
        }

        /** Cancels the relay; it counts as a relay when the destination got some bytes. */
        void endRelay() {
            RelaySender open = relay;
            if (open != null && open.cancel() && open.handedBytes() > 0) {
                services.meters().relayed();
            }
        }

        long handedBytes() {
            RelaySender open = relay;
            return open == null ? 0 : open.handedBytes();
        }

        /** Counts the bytes fetched and sent, with the first event that ends the attempt. Any thread. */
        private void account(long fetchedBytes) {
            if (accounted.compareAndSet(false, true)) {
                long handed = handedBytes();
                services.meters().brought(handed, Math.max(0, fetchedBytes - handed));
            }
        }

        void deliver() {
            delivers = true;
            offer();
        }

        /** Offers the block again; the destination hears that a whole block still waits. */
        private void offerAgain() {
            if (nanosSince(crowdedNanos) >= services.limits().waitNanos()) {
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

        /** Forfeits the block, so that the destination asks another helper. */
        private void unsendable(CloudMwException cause) {
            services.meters().relayFailed();
            letGo();
            events.failed(id.block(), cause);
            services.meters().forfeited();
            destination.forfeited(id.block(), id.racer(), cause);
        }

        /** Opens the relay when the block is to be relayed and some bytes are here. */
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
            byte[] offer =
                    services.links().offers().encode(spec.id(), block.race().id(), id.racer(), store);
            RelaySender started = RelaySender.start(bulk, offer, fetched, this);
            relay = started;
            started.advanced();
        }

        @Override
        public void began(FetchedBlock block) {
            growing = block;
            events.post(() -> {
                startedNanos = services.ticker().nanos();
                report(State.STARTED, 0, null);
            });
            services.meters().started();
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
                    services.meters().relayFailed();
                }
                services.meters().failed();
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
                services.meters().cancelled();
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
            services.meters().relayed();
        }

        /**
         * Releases the block after its relay failed, since the destination says what it wants instead. Without a free
         * stream the block is kept, because the destination knows nothing of the offer.
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
                services.meters().relayed(); // the destination wanted no more of it
            } else {
                services.meters().relayFailed();
            }
        }

        private void crowded() {
            relay = null;
            if (!crowded) {
                crowded = true;
                crowdedNanos = services.ticker().nanos();
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
                services.fetchers().shared().doubt(block);
            }
            try {
                services.fetchers().checker().check(requester, block, store, wrong -> {
                    Runnable report = () -> reportFault(wrong);
                    events.post(
                            () -> {
                                report.run();
                                destination.judged(id.block());
                            },
                            report);
                });
            } catch (CloudMwException e) {
                LOG.warn("{} {} store={}: doubted, but the queue is full: not checked", spec, block, store, e);
                destination.judged(id.block());
            }
        }

        /** Reports a bad replica to the destination; the read has reported it to the coordinator. */
        private void reportFault(@Nullable CloudMwException cause) {
            if (cause == null) {
                LOG.warn("{} {} store={}: arrived damaged; the replica is good", spec, block, store);
                return;
            }
            if (cause.code().isOfReplica()) {
                services.meters().fault();
                destination.fault(block.leaves().chunk(), store, cause.code());
            }
        }
    }
}
