package io.cloudmw.client.read;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.peer.PeerChunkCache;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.ReplicaFault;
import io.cloudmw.client.progress.Win;
import io.cloudmw.client.read.ledger.ReadLedger;
import io.cloudmw.client.read.ledger.ReadScope;
import io.cloudmw.client.read.peer.ChunkPart;
import io.cloudmw.client.read.peer.PeerStage;
import io.cloudmw.client.read.racer.RacerEvents;
import io.cloudmw.client.read.relay.RelayCredit;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.read.relay.RelaySource;
import io.cloudmw.client.read.relay.Relays;
import io.cloudmw.client.read.relay.StreamRelaySource;
import io.cloudmw.client.rpc.link.RelayAcceptor;
import io.cloudmw.client.rpc.link.TransferSetup;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.client.sink.LeafVerification;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.delivery.ChunkPlan;
import io.cloudmw.core.delivery.Delivery;
import io.cloudmw.core.delivery.DeliveryActions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.monitor.Hedges;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.placement.SwitchTable;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver of one read plan: it carries out the commands of {@link Delivery}, issues blocks to racers, takes
 * relays under credit, and reports events back. Confined to the transfer's serial executor, except where a method
 * says otherwise.
 */
final class ReadDriver implements RelayAcceptor, Relays.Listener, RacerEvents, PeerStage.Listener {
    /** Told once, on the transfer's executor. */
    interface Outcome {
        void delivered();

        /** Every helper had too much to do, nothing can be read without one, and nothing was offered: it may be tried again. */
        void refused(CloudMwException cause);

        /** Not all who have what is wanted could be reached: what is not done may be tried by another plan. */
        void unreachable(CloudMwException cause);

        void failed(CloudMwException cause);
    }

    /** What may be over in a moment, and another plan may know of other ways. */
    private static final Set<ErrorCode> UNREACHABLE = EnumSet.of(
            ErrorCode.HELPER_UNAVAILABLE,
            ErrorCode.STORE_UNAVAILABLE,
            ErrorCode.DEADLINE_EXCEEDED,
            ErrorCode.OVERLOADED,
            ErrorCode.CANCELLED); // by a helper that closes; what the reader cancels does not come this way

    /** Relays that share the memory of a get whose lanes all bring something. */
    private static final int SIDE_BY_SIDE = 16;

    private static final Logger log = LoggerFactory.getLogger(ReadDriver.class);
    /** The receipt of a short read does not wait for long for a helper that is stuck; see {@link #patienceNanos}. */
    private static final long LEAST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long MOST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** An alarm this late says that this process did not run, and not that others kept silent. */
    private static final long OVERSLEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Looking at a replica takes milliseconds, more when the helper has much to do. */
    private static final long JUDGEMENT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ClientContext context;
    private final SerialExecutor serial;
    private final ReadPlan plan;
    private final ByteRange wanted;
    private final LeafSink sink;
    private final ReadLedger ledger;
    private final Outcome outcome;
    private final String transferId = VersionId.random().value();
    private final ManifestReader feed;
    private final OpenChunks chunks = new OpenChunks();
    private final Racers racers;
    private final Delivery delivery;
    private final Relays relays;
    private final PeerStage peers;
    /** Chunks that this client is going to serve. */
    private final Map<Long, PeerChunkCache.Growing> growing = new ConcurrentHashMap<>();
    /** Blocks of which damaged leaves came, and who was asked about their replicas and has not answered. */
    private final Map<BlockId, RacerId> doubted = new HashMap<>();

    private final CompletableFuture<Void> lastWords = new CompletableFuture<>();
    private final long createdNanos;
    private @Nullable Future<?> alarm;
    private long alarmAtNanos;
    /** When the alarm should have rung at the latest. */
    private long alarmDueNanos;

    /** Somebody, some time, offered something. */
    private volatile boolean offered;

    /** The next chunk may be there already, or peers may have it: that is looked for. */
    private boolean looking;

    /** It is next; null: none is known to be. */
    private @Nullable ChunkPart waiting;

    private boolean planEndSaid;
    private boolean delivered;
    private boolean closed;
    private @Nullable CloudMwException lastFailure;
    /** When helpers that had no room should have some; empty: none said so. */
    private OptionalLong roomAtNanos = OptionalLong.empty();

    ReadDriver(
            ReadScope scope, ModePolicy mode, Urgency urgency, Location location, ByteRange wanted, Outcome outcome) {
        this.context = scope.context();
        this.serial = scope.serial();
        this.plan = scope.plan();
        this.wanted = wanted;
        this.sink = scope.sink();
        this.ledger = scope.ledger();
        this.outcome = outcome;
        createdNanos = context.ticker().nanos();
        DeliveryPolicy policy = DeliveryPolicy.of(mode.forRead(wanted.length()), sink.inOrder());
        relays = new Relays(context.threads(), serial, sink, scope.credit(), windows(policy), this);
        feed = new ManifestReader(
                context.coordinator(), plan, wanted, serial, this::pump, failure -> fail(Failures.of(failure)));
        LaneLayout lanes = policy.mode().lanes(plan.helpers().size());
        boolean solitary = !policy.mode().needsRivals();
        PlannedSpeeds speeds = new PlannedSpeeds(plan, context.reads().speeds().speeds());
        peers = new PeerStage(scope, location, urgency, speeds, this);
        TransferSetup setup = new TransferSetup(transferId, plan, lanes, solitary, urgency);
        racers = new Racers(context, serial, plan, setup, policy.mode().lineup().lanes(), this);
        delivery = new Delivery(
                policy, lanes, racers.ranks(), speeds, context.reads().redundancy(), homes(), new Actions());
    }

    /** The switches blocks are asked of: all the one that is near, where one is, otherwise each the one it belongs to. */
    private BlockOwners homes() {
        if (plan.switches() == 0) {
            return BlockOwners.NONE;
        }
        SwitchTable table = plan.switchTable();
        return (chunkIndex, offset) -> {
            Chunk chunk = chunks.at(chunkIndex).orElseThrow();
            long blockBytes = ModePolicy.SWITCHED_BLOCK_BYTES;
            long blocks = (chunk.range().length() + blockBytes - 1) / blockBytes;
            int[] owners = table.order(chunk.id(), blocks, offset / blockBytes);
            return plan.near().isPresent()
                    ? IntStream.concat(plan.near().stream(), Arrays.stream(owners))
                            .toArray()
                    : owners;
        };
    }

    /** A stream has one relay at a time, and what that leaves is for those prepared; a race the winner's and the next one's; otherwise every lane has one. */
    private static int windows(DeliveryPolicy policy) {
        if (policy.inOrder()) {
            return 1;
        }
        return policy.mode().lineup().isRace() ? 2 : SIDE_BY_SIDE;
    }

    /** What was issued besides the plan so far, and what of it won. */
    IssueCounts tally() {
        return delivery.counts();
    }

    void start() {
        if (!wanted.isEmpty() && !plan.helpers().isEmpty()) {
            context.links().get().register(transferId, this);
            racers.begin();
        }
        pump();
    }

    // ---- driving the decisions

    private void pump() {
        while (!closed && !delivered && !looking && delivery.wantsPlan() && advance()) {
            // Each one placed may leave room for the next.
        }
        boolean placed = !looking && waiting == null && peers.isIdle() && feed.isEnded();
        if (!closed && !delivered && !planEndSaid && placed) {
            planEndSaid = true;
            happened(delivery::planEnded);
        }
    }

    /** Places the next part of the file; false when there is none now, or it has to wait. */
    private boolean advance() {
        ChunkPart left = peers.next();
        if (left != null) {
            plan(left);
            return true;
        }
        if (sink.inOrder() && !peers.isIdle()) {
            return false;
        }
        ChunkPart next = waiting;
        if (next != null) {
            return place(next);
        }
        ManifestReader.Item item = feed.poll();
        if (item == null) {
            return false;
        }
        if (ledger.isDone(item.chunk().chunk().index())) {
            return true;
        }
        if (item.chunk().chunk().range().offset() < sink.keptBytes()) {
            look(item);
            return false;
        }
        return place(new ChunkPart(item, 0, 0, leaves(item)));
    }

    /** To peers that hold it, where there are any, otherwise into the plan. */
    private boolean place(ChunkPart part) {
        waiting = part;
        if (!peers.knows(part)) {
            looking = true;
            peers.find(part, feed.ahead(PeerStage.AHEAD - 1));
            return false;
        }
        boolean held = peers.isHeld(part);
        boolean itsTurn = !sink.inOrder() || chunks.isEmpty();
        if (held && !(peers.hasRoom() && itsTurn)) {
            return false;
        }
        waiting = null;
        keep(part);
        if (!held || !peers.begin(part)) {
            plan(part);
        }
        return true;
    }

    /** Where this client serves others, what is about to be read is kept for them. */
    private void keep(ChunkPart part) {
        if (plan.peers() && part.isWhole()) {
            context.reads()
                    .peers()
                    .node()
                    .flatMap(node -> node.chunks().begin(part.chunk()))
                    .ifPresent(begun -> growing.put(part.chunk().index(), begun));
        }
    }

    /** Those of a chunk that hold wanted bytes. */
    private ByteRange leaves(ManifestReader.Item item) {
        ByteRange range = item.chunk().chunk().range();
        long from = Math.max(range.offset(), wanted.offset()) - range.offset();
        long to = Math.min(range.end(), wanted.end()) - range.offset();
        return Leaves.covering(
                new ByteRange(from, to - from),
                range.length(),
                item.chunk().chunk().leafSizeBytes());
    }

    /** Plans of a chunk what an interrupted get did not leave. */
    private void look(ManifestReader.Item item) {
        looking = true;
        ByteRange leaves = leaves(item);
        context.threads().files().execute(() -> {
            try {
                ByteRange missing = LeafVerification.missing(sink, item.chunk().chunk(), leaves);
                serial.execute(() -> looked(item, leaves, missing));
            } catch (CloudMwException | RuntimeException e) {
                serial.execute(() -> fail(Failures.of(e)));
            }
        });
    }

    private void looked(ManifestReader.Item item, ByteRange leaves, ByteRange missing) {
        looking = false;
        if (closed || delivered) {
            return;
        }
        ledger.kept(leaves.length() - missing.length(), wanted.length());
        if (missing.isEmpty()) {
            ledger.chunkDone(item.chunk().chunk().index());
        } else {
            waiting = new ChunkPart(item, leaves.length() - missing.length(), 0, missing);
        }
        pump();
    }

    private void plan(ChunkPart part) {
        ManifestReader.Item item = part.item();
        ByteRange range = part.chunk().range();
        chunks.add(item, part.kept(), part.fromPeers(), part.missing().length());
        ChunkPlan planned = new ChunkPlan(
                part.chunk().index(),
                part.missing(),
                range.length(),
                item.chunk().chunk().leafSizeBytes(),
                item.chunk().chunk().replicas(),
                item.chunk().bad(),
                item.chunk().entrants());
        apply(now -> delivery.planned(planned, now));
    }

    /** Tells the delivery an event, then plans more if there is room. */
    private void happened(LongConsumer event) {
        if (!closed && !delivered) {
            apply(event);
            pump();
        }
    }

    private void apply(LongConsumer event) {
        event.accept(context.ticker().nanos());
        setAlarm();
    }

    /** The actions that the delivery orders. */
    private final class Actions implements DeliveryActions {
        @Override
        public void issue(Block block, IssueReason reason) {
            racers.issue(block, reason.isExtra(), chunks.of(block));
        }

        @Override
        public void withdraw(Block block) {
            relays.withdraw(block.id());
            racers.withdraw(block);
        }

        @Override
        public void acknowledge(Block block) {
            racers.delivered(block);
        }

        @Override
        public void prepare(long relay, Block block, ByteRange range) {
            relays.prepare(relay, block, range, chunks.of(block).chunk().chunk());
        }

        @Override
        public void accept(long relay, Block block, ByteRange range) {
            relays.accept(relay, block, range, chunks.of(block).chunk().chunk());
        }

        @Override
        public void shorten(Block block, ByteRange kept) {
            relays.shorten(block.id(), kept.length());
            racers.shorten(block, kept.length());
        }

        @Override
        public void refuse(long relay) {
            relays.refuse(relay);
        }

        @Override
        public void abandon(RacerId racer, ErrorCode code) {
            racers.abandon(racer, code);
            ledger.racerGone(racers.name(racer), code);
            serial.execute(() -> disksAway(racer));
        }

        @Override
        public void raceLocally(int spare) {
            ledger.racingLocally();
            racers.raceLocally(spare);
        }

        @Override
        public void complete() {
            ReadDriver.this.complete();
        }

        @Override
        public void fail(long chunkIndex, ErrorCode code) {
            undeliverable(chunkIndex, code);
        }
    }

    private void undeliverable(long chunkIndex, ErrorCode code) {
        CloudMwException last = lastFailure;
        boolean refused = last != null && last.code() == ErrorCode.OVERLOADED && !offered;
        String why = last == null ? code.name() : String.valueOf(last.getMessage());
        CloudMwException cause = new CloudMwException(
                refused ? ErrorCode.OVERLOADED : code,
                plan.version().file() + ": chunk " + chunkIndex + " could not be read from any replica; last failure: "
                        + why,
                last);
        if (refused || code == ErrorCode.OVERLOADED) {
            cause = withRoom(cause);
        }
        boolean unreachable = isUnreachable(chunkIndex, code);
        if (refused || unreachable) {
            ledger.again(
                    chunks.deliveredBytes(),
                    chunks.keptBytes() + peers.openKeptBytes() + (waiting == null ? 0 : waiting.kept()),
                    chunks.peerBytes() + peers.openBytes());
        }
        if (refused) {
            outcome.refused(cause);
        } else if (unreachable) {
            outcome.unreachable(cause);
        } else {
            fail(cause);
        }
    }

    /** With what is left until there should be room; what was said early in a long read may be over. */
    private CloudMwException withRoom(CloudMwException refusal) {
        long left = roomAtNanos.isEmpty()
                ? 0
                : roomAtNanos.getAsLong() - context.ticker().nanos();
        return left > 0 ? refusal.retriedAfter(Duration.ofNanos(left)) : refusal;
    }

    /** Bad copies are for good; but where not all were seen to be bad, the others are out of reach for now. */
    private boolean isUnreachable(long chunkIndex, ErrorCode code) {
        boolean bad = code.isOfReplica();
        Optional<Chunk> chunk = chunks.at(chunkIndex);
        return UNREACHABLE.contains(code)
                || (bad
                        && chunk.isPresent()
                        && ledger.faults(chunk.get().id())
                                < chunk.get().replicas().size());
    }

    private void setAlarm() {
        OptionalLong wake = delivery.wakeAtNanos();
        if (wake.isEmpty() || closed || delivered) {
            return;
        }
        if (alarm != null && !alarm.isDone() && alarmAtNanos - wake.getAsLong() <= 0) {
            return; // early is harmless, and most alarms never need to be moved
        }
        if (alarm != null) {
            alarm.cancel(false);
        }
        alarmAtNanos = wake.getAsLong();
        long now = context.ticker().nanos();
        long delay = Math.max(0, alarmAtNanos - now);
        alarmDueNanos = now + delay;
        alarm = Threads.later(context.threads().timer(), delay, this::alarmed).orElse(null);
        if (alarm == null) {
            fail(Failures.clientClosed());
        }
    }

    private void alarmed() {
        serial.execute(() -> {
            alarm = null;
            if (context.ticker().nanos() - alarmDueNanos >= OVERSLEPT_NANOS) {
                happened(delivery::resumed);
            }
            happened(delivery::timePassed);
        });
    }

    private void complete() {
        delivered = true;
        relays.end();
        finishUnlessDoubted();
        hearLastWords();
        outcome.delivered();
    }

    /** Helpers that were asked about a replica answer first. */
    private void finishUnlessDoubted() {
        if (doubted.isEmpty()) {
            racers.finish(hedges());
        }
    }

    private Hedges hedges() {
        IssueCounts tally = delivery.counts();
        return new Hedges(
                tally.hedges() + tally.handOvers(), tally.hedgesWon() + tally.handOversWon(), tally.suppressed());
    }

    private void fail(CloudMwException cause) {
        if (!closed && !delivered) {
            outcome.failed(cause);
        }
    }

    /** Completes when every attempt's end was heard, or soon. */
    CompletableFuture<Void> lastWords() {
        return lastWords;
    }

    private void hearLastWords() {
        long nanos = doubted.isEmpty() ? patienceNanos() : JUDGEMENT_NANOS;
        if (allSaid()
                || Threads.later(context.threads().timer(), nanos, () -> lastWords.complete(null))
                        .isEmpty()) {
            lastWords.complete(null);
        }
    }

    private boolean allSaid() {
        return doubted.isEmpty() && (!ledger.hasLiveAttempts() || !racers.maySpeak());
    }

    /** A quarter of what the read took, within bounds. */
    private long patienceNanos() {
        long quarter = (context.ticker().nanos() - createdNanos) / 4;
        return Math.min(MOST_PATIENCE_NANOS, Math.max(LEAST_PATIENCE_NANOS, quarter));
    }

    private void heard() {
        if (allSaid()) {
            lastWords.complete(null);
        }
    }

    /** Ends everything that is open, everywhere. Idempotent. */
    void close(ErrorCode why) {
        if (closed) {
            return;
        }
        closed = true;
        if (alarm != null) {
            alarm.cancel(false);
        }
        feed.close();
        peers.close(why);
        growing.values().forEach(PeerChunkCache.Growing::close);
        delivery.close();
        relays.close(why);
        racers.close(hedges());
        if (!plan.helpers().isEmpty()) {
            context.links().get().unregister(transferId);
        }
    }

    // ---- relays

    /** On an event loop. */
    @Override
    public BulkStreamListener offered(
            HelperAddress helper, RacerId racer, BlockId block, StoreId store, BulkStream stream)
            throws CloudMwException {
        if (!racers.isOf(racer, helper)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "racer " + racer.rank() + " is not helper " + helper.id() + "'s");
        }
        return offer(racer, block, store, new StreamRelaySource(stream));
    }

    @Override
    public RelayReceiver offer(RacerId racer, BlockId block, StoreId store, RelaySource source) {
        offered = true;
        return relays.offer(racer, block, store, source);
    }

    @Override
    public void offered(RelayReceiver relay) {
        happened(now -> delivery.offered(relay.number(), relay.block(), relay.racer(), now));
    }

    @Override
    public void leafDelivered(RelayReceiver relay) {
        happened(now -> delivery.leafDelivered(relay.number(), now));
    }

    @Override
    public void leafCorrupt(RelayReceiver relay) {
        happened(now -> delivery.leafCorrupt(relay.number(), now));
    }

    @Override
    public void relayFailed(RelayReceiver relay, ErrorCode code) {
        happened(now -> delivery.relayFailed(relay.number(), code, now));
    }

    @Override
    public void starved(RelayReceiver relay) {
        happened(now -> delivery.creditWithheld(relay.number(), now));
    }

    @Override
    public void creditChanged(RelayCredit.Change change) {
        apply(
                change.withheld()
                        ? now -> delivery.creditWithheld(change.relay(), now)
                        : now -> delivery.creditGranted(change.relay(), now));
    }

    @Override
    public void handedOn(RelayReceiver relay, int bytes) {
        ledger.delivered(bytes, wanted.length());
        if (chunks.delivered(relay.chunk().index(), bytes)) {
            done(relay.chunk());
        }
    }

    @Override
    public void won(RelayReceiver relay) {
        ledger.won(new Win(
                relay.chunk().index(),
                relay.block().value(),
                racers.name(relay.racer()),
                relay.store(),
                relay.returned()));
    }

    @Override
    public void damaged(RelayReceiver relay) {
        if (!delivered && racers.doubt(relay.racer(), relay.block())) {
            doubted.put(relay.block(), relay.racer());
        }
    }

    @Override
    public void failedBecause(CloudMwException why) {
        lastFailure = why;
    }

    @Override
    public void destinationFailed(CloudMwException cause) {
        fail(cause);
    }

    /** All that is wanted of it is there. */
    private void done(Chunk chunk) {
        ledger.chunkDone(chunk.index());
        PeerChunkCache.Growing whole = growing.remove(chunk.index());
        if (whole != null) {
            whole.close();
        }
    }

    @Override
    public void verified(Chunk chunk, long offset, ByteBuffer leaf) {
        PeerChunkCache.Growing kept = growing.get(chunk.index());
        if (kept != null) {
            kept.keep(offset, leaf);
        }
    }

    // ---- peers

    @Override
    public void searched() {
        looking = false;
        pump();
    }

    @Override
    public void broughtByPeer(int bytes) {
        if (closed) {
            return; // what is not done is counted anew by the next plan
        }
        ledger.deliveredByPeer(bytes, wanted.length());
    }

    @Override
    public void left(ChunkPart part) {
        if (closed) {
            return;
        }
        if (part.missing().isEmpty()) {
            done(part.chunk());
        } else {
            peers.add(part);
        }
        relays.roomAgain();
        pump();
    }

    // ---- racers

    @Override
    public void attempted(RacerId racer, BlockId block, Attempt attempt) {
        if (closed) {
            return;
        }
        ledger.attempted(racer, attempt);
        if (delivered) {
            heard();
            return;
        }
        // Of what a switch had the end is all there is to say.
        if (!attempt.kept() || attempt.state() == AttemptState.FINISHED) {
            happened(now -> delivery.attempted(block, racer, stage(attempt), attempt.bytes(), now));
        }
    }

    private static AttemptStage stage(Attempt attempt) {
        return switch (attempt.state()) {
            case STARTED -> AttemptStage.STARTED;
            case PROGRESSED -> AttemptStage.UNDER_WAY;
            case FINISHED -> attempt.kept() ? AttemptStage.KEPT : AttemptStage.FETCHED;
            case CANCELLED, FAILED -> AttemptStage.STOPPED;
        };
    }

    @Override
    public void waits(RacerId racer, BlockId block) {
        happened(now -> delivery.waits(block, racer, now));
    }

    @Override
    public void postponed(BlockId block, boolean postponed) {
        happened(now -> delivery.postponed(block, postponed, now));
    }

    @Override
    public void lost(RacerId racer, BlockId block, RacerId winner) {
        happened(now -> delivery.lost(block, racer, winner, now));
    }

    @Override
    public void forfeited(RacerId racer, BlockId block, ErrorCode code) {
        happened(now -> delivery.forfeited(block, racer, code, now));
    }

    @Override
    public void faulted(ChunkId chunk, StoreId store, ErrorCode code) {
        if (closed || !ledger.faulted(new ReplicaFault(chunk, store, code))) {
            return;
        }
        ReplicaState state = code == ErrorCode.REPLICA_MISSING ? ReplicaState.MISSING : ReplicaState.CORRUPT;
        CompletableFuture<Void> unused = context.coordinator()
                .report(plan.version(), List.of(new ReplicaReport(chunk, store, state)))
                .exceptionally(failure -> {
                    log.debug("replica fault not reported: chunk={} store={}", chunk, store, failure);
                    return null;
                });
    }

    /** A copy that a switch kept says nothing of the replica that was named: nobody read that. */
    @Override
    public void corrupt(RelayReceiver relay) {
        if (!racers.mistrust(relay.racer(), relay.block())) {
            faulted(relay.chunk().id(), relay.store(), ErrorCode.REPLICA_CORRUPT);
        }
    }

    @Override
    public void judged(BlockId block) {
        if (doubted.remove(block) != null) {
            judged();
        }
    }

    /** With the last judgement a get that is delivered ends at its helpers. */
    private void judged() {
        if (delivered && !closed) {
            finishUnlessDoubted();
            heard();
        }
    }

    @Override
    public void gone(RacerId racer, CloudMwException why) {
        if (doubted.values().removeIf(asked -> racers.name(asked).equals(racers.name(racer)))) {
            judged();
        }
        if (delivered) {
            racers.silent(racer);
            heard();
        }
        if (closed || delivered) {
            return;
        }
        lastFailure = why;
        racers.abandon(racer, why.code());
        ledger.racerGone(racers.name(racer), why.code());
        happened(now -> delivery.racerGone(racer, now));
        disksAway(racer);
    }

    /** Other helpers read the disks of one through it: with it they are out of reach. */
    private void disksAway(RacerId racer) {
        if (closed || delivered || racer.rank() >= plan.helpers().size()) {
            return;
        }
        HelperId gone = plan.helpers().get(racer.rank()).id();
        Set<StoreId> disks = plan.stores().stream()
                .map(StoreStatus::store)
                .filter(store -> store.owner().equals(Optional.of(gone)))
                .map(Store::id)
                .collect(Collectors.toUnmodifiableSet());
        if (!disks.isEmpty()) {
            happened(now -> delivery.storesAway(disks, now));
        }
    }

    @Override
    public void localRacersReady(List<RacerId> ranks) {
        happened(now -> delivery.localRacersReady(ranks, now));
    }

    @Override
    public void roomAfter(Duration pause) {
        long again = context.ticker().nanos() + pause.toNanos();
        roomAtNanos = OptionalLong.of(roomAtNanos.isPresent() ? Math.max(roomAtNanos.getAsLong(), again) : again);
    }

    @Override
    public void localFailed(CloudMwException why) {
        failedBecause(why);
    }

    @Override
    public long chunkOf(BlockId block) {
        return chunks.indexOf(block);
    }
}
