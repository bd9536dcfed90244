package io.cloudmw.client.read.racer;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.read.relay.StreamRelaySource;
import io.cloudmw.client.rpc.link.BulkLease;
import io.cloudmw.client.rpc.link.SwitchRequests;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.wire.IssuedBlock;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
    /** An answer is waited for so long: it needs nothing but what is in memory or on the switch's disk. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    static final int MOST_PASSED_BY = 32;

    private final SerialExecutor serial;
    private final ScheduledExecutorService timer;
    private final ReadPlan plan;
    private final String name;
    private final Supplier<Urgency> urgency;
    private final CompletableFuture<BulkLease> lease;
    private final RacerEvents events;
    private final Consumer<IssuedBlock> issuer;
    private final int mostComing;
    /** Asked for, or to be issued when those before are settled. */
    private final Deque<Ask> open = new ArrayDeque<>();
    /** On their way from here. */
    private final Set<Ask> coming = new HashSet<>();

    private int passedBy;
    private int toPassBy;
    private boolean mute;
    private @Nullable Future<?> alarm;

    /**
     * @param name of the switch
     * @param urgency how urgent it is to the switch, with what is left of its time when that is asked
     * @param lease its connection; closed with this
     * @param issuer issues to it what it does not keep
     * @param mostComing blocks on their way at once; one more that comes before all these
     */
    public CachedBlockRequests(
            SerialExecutor serial,
            ScheduledExecutorService timer,
            ReadPlan plan,
            String name,
            Supplier<Urgency> urgency,
            CompletableFuture<BulkLease> lease,
            RacerEvents events,
            Consumer<IssuedBlock> issuer,
            int mostComing) {
        this.serial = serial;
        this.timer = timer;
        this.plan = plan;
        this.name = name;
        this.urgency = urgency;
        this.lease = lease;
        this.events = events;
        this.issuer = issuer;
        this.mostComing = mostComing;
    }

    /** Asks for it, or issues it: now, or when there is room and what came before is settled. */
    public void issue(IssuedBlock block) {
        Ask ask = new Ask(block);
        open.add(ask);
        if (mayAsk(block)) {
            ask.wanted = true;
            setAlarm();
        } else {
            dropNextBefore(ask);
        }
        advance();
        if (open.contains(ask)) {
            ask.postpone(true);
        }
    }

    /** What is not asked for yet would hold up what is to be issued: helpers know themselves what they can hold. */
    private void dropNextBefore(Ask issued) {
        open.stream().takeWhile(ask -> ask != issued).filter(Ask::isNext).forEach(Ask::drop);
    }

    /** What repeats others is not asked for: it is to be fetched once more. */
    private boolean mayAsk(IssuedBlock block) {
        if (mute || block.extra()) {
            return false;
        }
        if (toPassBy > 0) {
            toPassBy--;
            return false;
        }
        return true;
    }

    /** Whether the block is on its way although it was never issued. */
    public boolean isComing(BlockId block) {
        return coming.stream().anyMatch(ask -> ask.id().equals(block));
    }

    /** The block is here, or not wanted: whether that is all there is to do about it, for it was never issued. */
    public boolean forget(BlockId block) {
        Ask gone = Stream.concat(coming.stream(), open.stream())
                .filter(ask -> ask.id().equals(block))
                .findFirst()
                .orElse(null);
        if (gone == null) {
            return false;
        }
        if (!coming.remove(gone)) {
            open.remove(gone);
            gone.drop();
        }
        advance();
        return true;
    }

    /** Asks for what there is room for, and issues what waits only for what is settled by now. */
    private void advance() {
        for (Ask ask : open) {
            if (ask.isNext() && hasRoom(ask)) {
                ask.begin();
            }
        }
        for (Ask first = open.peek(); first != null && !first.wanted; first = open.peek()) {
            open.remove();
            issuer.accept(first.block);
            if (first.postponed) {
                first.postpone(false);
            }
        }
    }

    /** Always for what comes before all that is on its way: the others may wait for that to be delivered. */
    private boolean hasRoom(Ask ask) {
        List<Ask> held = Stream.concat(coming.stream(), open.stream().filter(Ask::isPending))
                .toList();
        return held.size() < mostComing || held.stream().allMatch(ask::isBefore);
    }

    private void kept(Ask ask) {
        BulkStream stream = ask.stream;
        if (stream == null || !ask.isPending() || !open.remove(ask)) {
            return;
        }
        passedBy = 0;
        coming.add(ask);
        // Before what is offered next.
        serial.execute(() -> {
            ask.tell(AttemptState.STARTED, 0);
            ask.tell(AttemptState.FINISHED, ask.block.block().range().length());
        });
        ask.relay = events.offer(ask.racer(), ask.id(), ask.store(), new StreamRelaySource(stream));
        advance();
    }

    private void notKept(Ask ask) {
        if (ask.isPending()) {
            passedBy = Math.min(MOST_PASSED_BY, Math.max(1, 2 * passedBy));
            toPassBy = passedBy;
            dropNextBefore(ask);
            ask.drop();
            advance();
        }
    }

    private void setAlarm() {
        if (alarm == null) {
            alarm = Threads.later(timer, PATIENCE_NANOS, () -> serial.execute(this::look))
                    .orElse(null);
        }
    }

    /** Whoever has let one wait from one look to the next has nothing to say. What waits here for room is no silence. */
    private void look() {
        alarm = null;
        if (open.stream().anyMatch(ask -> ask.isPending() && ask.seen)) {
            mute();
            advance();
            return;
        }
        open.forEach(ask -> ask.seen = ask.isPending());
        if (!open.isEmpty()) {
            setAlarm();
        }
    }

    private void mute() {
        mute = true;
        open.forEach(Ask::drop);
    }

    /** What it sends of a block does not match; nothing more is asked of it. False when that is not of what it keeps. */
    public boolean mistrust(BlockId block) {
        boolean isKept = isComing(block);
        if (isKept) {
            mute();
            advance();
        }
        return isKept;
    }

    /** Asks for nothing more and issues nothing. */
    public void close() {
        mute();
        open.clear();
        Future<?> due = alarm;
        if (due != null) {
            due.cancel(false);
        }
        var unused = lease.thenAccept(BulkLease::close);
    }

    /** One block: wanted, and perhaps on its way. What it hears comes from an event loop. */
    private final class Ask implements BulkStreamListener {
        final IssuedBlock block;
        private @Nullable BulkStream stream;
        /** To be asked for; otherwise to be issued. */
        boolean wanted;

        private boolean asked;
        private boolean postponed;
        /** While it waited for the answer, at a look. */
        boolean seen;

        volatile @Nullable RelayReceiver relay;

        Ask(IssuedBlock block) {
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

        /** Whether it is to be asked for as soon as there is room. */
        boolean isNext() {
            return wanted && !asked;
        }

        /** Whether it was asked for, and not answered. */
        boolean isPending() {
            return wanted && asked && relay == null;
        }

        /** Whether it comes before the other in the file. */
        boolean isBefore(Ask other) {
            Block mine = block.block();
            Block others = other.block.block();
            return mine.chunkIndex() < others.chunkIndex()
                    || (mine.chunkIndex() == others.chunkIndex()
                            && mine.range().offset() < others.range().offset());
        }

        void begin() {
            asked = true;
            var unused = lease.whenComplete((made, failure) -> serial.execute(() -> connected(made)));
        }

        private void connected(@Nullable BulkLease made) {
            if (made == null) {
                notKept(this);
            } else if (isPending()) {
                byte[] request =
                        SwitchRequests.of(plan, block, urgency.get(), true).encode();
                stream = made.connection().open(request, this);
            }
        }

        /** Nobody is late with it until it is issued. Told later, not in the middle of a decision. */
        void postpone(boolean isPostponed) {
            postponed = isPostponed;
            serial.execute(() -> events.postponed(id(), isPostponed));
        }

        /** It is not asked for any longer. */
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
                            events.chunkOf(id), id.value(), name, store(), 0, state, bytes, Optional.empty(), true));
        }

        /** The answer: it is kept. */
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
                mistrust(id());
                over(to -> to.failed(cause));
            });
        }

        /** Of what was on its way the relay is told; of what was not, it is the answer. */
        private void over(Consumer<RelayReceiver> told) {
            RelayReceiver to = relay;
            if (to == null) {
                notKept(this);
            } else {
                told.accept(to);
            }
        }

        /** The switch is told, and keeps it no longer; no replica is to blame. */
        @Override
        public void damaged(CloudMwException cause) {
            failed(new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE, name + " kept a damaged copy: " + cause.getMessage(), cause));
        }
    }
}
