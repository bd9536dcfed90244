package io.cloudmw.client.read.racer;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.read.relay.StreamRelaySource;
import io.cloudmw.client.rpc.link.BlockRequests;
import io.cloudmw.client.rpc.link.RenewedLease;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one read for blocks that one switch may have cached. Each block is first requested on the bulk
 * plane, and issued to the switch as to any helper only after a cache miss. A cache hit costs both sides only its
 * bytes: nothing is fetched, raced, reported or withdrawn. Blocks are issued in the order they came in.
 *
 * <p>After a miss the next blocks are issued without a request, twice as many after each further miss. A switch that
 * does not answer, or breaks off a hit, gets no more requests from this transfer. Confined to the transfer, except
 * for the streams' callbacks.
 */
public final class CachedBlockRequests {
    /** The timeout of an answer, which needs only the switch's memory or disk. */
    static final long ANSWER_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    static final int MOST_PASSED_BY = 32;

    private final SerialExecutor serial;
    private final ScheduledExecutorService timer;
    private final Target target;
    private final RacerEvents events;
    private final Consumer<IssuedBlock> issuer;
    private final int mostArriving;
    /** Blocks to be requested, or to be issued once earlier ones are settled. */
    private final Deque<Request> open = new ArrayDeque<>();
    /** Blocks that arrive from the cache. */
    private final Set<Request> arriving = new HashSet<>();

    private int skipped;
    private int toSkip;
    private boolean unresponsive;
    private @Nullable Future<?> alarm;

    /**
     * The switch of a read's plan to which the requests go.
     *
     * @param name of the switch
     * @param urgency the read's urgency, with the time left at each request
     * @param lease of the switch's connection; closed with the requests
     */
    public record Target(ReadPlan plan, String name, Supplier<Urgency> urgency, RenewedLease lease) {}

    /**
     * @param issuer issues to the switch the blocks that it has not cached
     * @param mostArriving the most blocks that arrive at once; one more may that comes before all of these, since their
     *     delivery may wait for it
     */
    public CachedBlockRequests(
            SerialExecutor serial,
            ScheduledExecutorService timer,
            Target target,
            RacerEvents events,
            Consumer<IssuedBlock> issuer,
            int mostArriving) {
        this.serial = serial;
        this.timer = timer;
        this.target = target;
        this.events = events;
        this.issuer = issuer;
        this.mostArriving = mostArriving;
    }

    /** Requests a block or issues it: now, or when there is room and earlier blocks are settled. */
    public void issue(IssuedBlock block) {
        Request request = new Request(block);
        open.add(request);
        if (mayRequest(block)) {
            request.wanted = true;
            setAlarm();
        } else {
            dropNextBefore(request);
        }
        advance();
        if (open.contains(request)) {
            request.postpone(true);
        }
    }

    /** Stops requests for earlier blocks, which would hold up a block that is to be issued. */
    private void dropNextBefore(Request issued) {
        open.stream()
                .takeWhile(request -> request != issued)
                .filter(Request::isNext)
                .forEach(Request::drop);
    }

    /**
     * Returns whether the block may be requested. An extra attempt is always issued, because it must fetch the block
     * again.
     */
    private boolean mayRequest(IssuedBlock block) {
        if (unresponsive || block.extra()) {
            return false;
        }
        if (toSkip > 0) {
            toSkip--;
            return false;
        }
        return true;
    }

    /** Returns whether the block arrives although it was never issued. */
    public boolean isArriving(BlockId block) {
        return arriving.stream().anyMatch(request -> request.id().equals(block));
    }

    /**
     * Forgets a block that arrived or is not wanted. Returns true when nothing else is to be done, because it was never
     * issued.
     */
    public boolean forget(BlockId block) {
        Request gone = Stream.concat(arriving.stream(), open.stream())
                .filter(request -> request.id().equals(block))
                .findFirst()
                .orElse(null);
        if (gone == null) {
            return false;
        }
        if (!arriving.remove(gone)) {
            open.remove(gone);
            gone.drop();
        }
        advance();
        return true;
    }

    /** Requests the blocks for which there is room, and issues those that wait only for settled ones. */
    private void advance() {
        for (Request request : open) {
            if (request.isNext() && hasRoom(request)) {
                request.begin();
            }
        }
        for (Request first = open.peek(); first != null && !first.wanted; first = open.peek()) {
            open.remove();
            issuer.accept(first.block);
            if (first.postponed) {
                first.postpone(false);
            }
        }
    }

    /**
     * Returns whether there is room for a block. A block before all arriving ones always has room: they may wait for
     * its delivery.
     */
    private boolean hasRoom(Request request) {
        List<Request> held = Stream.concat(arriving.stream(), open.stream().filter(Request::isPending))
                .toList();
        return held.size() < mostArriving || held.stream().allMatch(request::isBefore);
    }

    private void kept(Request request) {
        BulkStream stream = request.stream;
        if (stream == null || !request.isPending() || !open.remove(request)) {
            return;
        }
        skipped = 0;
        arriving.add(request);
        // Before the next offer.
        serial.execute(() -> {
            request.tell(AttemptState.STARTED, 0);
            request.tell(AttemptState.FINISHED, request.block.block().range().length());
        });
        request.relay = events.offer(request.racer(), request.id(), request.store(), new StreamRelaySource(stream));
        advance();
    }

    private void notKept(Request request) {
        if (request.isPending()) {
            skipped = Math.min(MOST_PASSED_BY, Math.max(1, 2 * skipped));
            toSkip = skipped;
            dropNextBefore(request);
            request.drop();
            advance();
        }
    }

    private void setAlarm() {
        if (alarm == null) {
            alarm = Threads.later(timer, ANSWER_TIMEOUT_NANOS, () -> serial.execute(this::checkAnswers))
                    .orElse(null);
        }
    }

    /**
     * Checks the answers: a switch that leaves a request unanswered from one check to the next has failed. A block that
     * waits here does not count.
     */
    private void checkAnswers() {
        alarm = null;
        if (open.stream().anyMatch(request -> request.isPending() && request.seen)) {
            unresponsive();
            advance();
            return;
        }
        open.forEach(request -> request.seen = request.isPending());
        if (!open.isEmpty()) {
            setAlarm();
        }
    }

    private void unresponsive() {
        unresponsive = true;
        open.forEach(Request::drop);
    }

    /**
     * Handles corrupt data of a cached block; nothing more of the block is requested. False when the block was not
     * cached.
     */
    public boolean rejectCached(BlockId block) {
        boolean isKept = isArriving(block);
        if (isKept) {
            unresponsive();
            advance();
        }
        return isKept;
    }

    /** Stops all requests and issues nothing more. */
    public void close() {
        unresponsive();
        open.clear();
        Future<?> due = alarm;
        if (due != null) {
            due.cancel(false);
        }
        target.lease().close();
    }

    /** A block, requested or arriving. Its callbacks come from an event loop. */
    private final class Request implements BulkStreamListener {
        final IssuedBlock block;
        private @Nullable BulkStream stream;
        /** True when the block is to be requested; false when it is to be issued. */
        boolean wanted;

        private boolean asked;
        private boolean postponed;
        /** True once a check has found the request unanswered. */
        boolean seen;

        volatile @Nullable RelayReceiver relay;

        Request(IssuedBlock block) {
            this.block = block;
        }

        BlockId id() {
            return block.block().id();
        }

        RacerId racer() {
            return block.block().entrants().get(0).racer();
        }

        private StoreId store() {
            return block.replicas().get(block.block().entrants().get(0).replica());
        }

        /** Returns whether the block is requested as soon as there is room. */
        boolean isNext() {
            return wanted && !asked;
        }

        /** Returns whether the block was requested and not answered. */
        boolean isPending() {
            return wanted && asked && relay == null;
        }

        /** Returns whether this block comes before the other in the file. */
        boolean isBefore(Request other) {
            Block mine = block.block();
            Block others = other.block.block();
            return mine.chunkIndex() < others.chunkIndex()
                    || (mine.chunkIndex() == others.chunkIndex()
                            && mine.range().offset() < others.range().offset());
        }

        void begin() {
            asked = true;
            var unused =
                    target.lease().connection().whenComplete((made, failure) -> serial.execute(() -> connected(made)));
        }

        private void connected(@Nullable BulkConnection made) {
            if (made == null) {
                notKept(this);
            } else if (isPending()) {
                byte[] request = BlockRequests.toSwitch(
                                target.plan(), block, target.urgency().get(), true)
                        .encode();
                stream = made.open(request, this);
            }
        }

        /**
         * Reports that the block is not issued yet, so that no racer counts as late. Deferred, so as not to disturb a
         * decision.
         */
        void postpone(boolean isPostponed) {
            postponed = isPostponed;
            serial.execute(() -> events.postponed(id(), isPostponed));
        }

        /** Cancels the request. */
        void drop() {
            wanted = false;
            BulkStream answering = stream;
            if (answering != null) {
                answering.reset(ErrorCode.CANCELLED, "no longer asked for");
            }
        }

        void tell(AttemptState state, long bytes) {
            BlockId id = id();
            events.attempted(
                    racer(),
                    id,
                    new Attempt(
                            events.chunkOf(id),
                            id.value(),
                            target.name(),
                            store(),
                            0,
                            state,
                            bytes,
                            Optional.empty(),
                            true));
        }

        /** The answer of a cache hit. */
        @Override
        public void granted() {
            serial.execute(() -> kept(this));
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            RelayReceiver to = relay;
            if (to == null) {
                payload.release(); // nothing was granted
            } else {
                to.data(payload, crc32c);
            }
        }

        @Override
        public void ended(byte[] trailer) {
            serial.execute(() -> over(to -> to.ended(trailer)));
        }

        @Override
        public void failed(CloudMwException cause) {
            serial.execute(() -> {
                rejectCached(id());
                over(to -> to.failed(cause));
            });
        }

        /** Passes an end to the relay of an arriving block; otherwise the end is the answer. */
        private void over(Consumer<RelayReceiver> told) {
            RelayReceiver to = relay;
            if (to == null) {
                notKept(this);
            } else {
                told.accept(to);
            }
        }

        /** Tells the switch, which evicts the block; no replica is to blame. */
        @Override
        public void damaged(CloudMwException cause) {
            failed(new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE,
                    target.name() + " had a damaged copy cached: " + cause.getMessage(),
                    cause));
        }
    }
}
