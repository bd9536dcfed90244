package io.cloudmw.client.read;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.ReplicaFault;
import io.cloudmw.client.progress.Win;
import io.cloudmw.client.read.ledger.ReadScope;
import io.cloudmw.client.read.peer.ChunkPart;
import io.cloudmw.client.read.peer.PeerStage;
import io.cloudmw.client.read.racer.RacerEvents;
import io.cloudmw.client.read.relay.RelayCredit;
import io.cloudmw.client.read.relay.RelayReceiver;
import io.cloudmw.client.read.relay.RelaySource;
import io.cloudmw.client.read.relay.Relays;
import io.cloudmw.client.read.relay.StreamRelaySource;
import io.cloudmw.client.rpc.link.TransferSetup;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.delivery.ChunkPlan;
import io.cloudmw.core.delivery.Delivery;
import io.cloudmw.core.delivery.DeliveryActions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.DirectUse;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.fleet.HedgeCounts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver of one read plan: it carries out the orders of {@link Delivery}, issues blocks to racers, takes relays
 * under credit, and reports events back. Confined to the transfer's serial executor, except where a method says
 * otherwise.
 */
final class ReadDriver {
    /** A listener to the read, on the transfer's executor. But for {@link #tokenRefused} it is called once, at the end. */
    interface Outcome {
        /** A helper refused the token: the reader may have lost its right. The read goes on with other racers. */
        void tokenRefused();

        void delivered();

        /** Every helper was overloaded, and nothing was offered. The plan may be retried. */
        void refused(CloudMwException cause);

        /** Some replicas could not be reached. Another plan may deliver what is missing. */
        void unreachable(CloudMwException cause);

        void failed(CloudMwException cause);
    }

    private enum State {
        READING,
        /** Every wanted byte is at the destination; late reports may follow. */
        DELIVERED,
        CLOSED
    }

    /** The relays among which the memory of a get is divided when all its lanes deliver at once. */
    private static final int SIDE_BY_SIDE = 16;

    /** The most bytes of a small read; a helper serves a request of the bulk plane for no larger block. */
    private static final long MAX_SMALL_BYTES = ModePolicy.SWITCHED_BLOCK_BYTES;

    private static final Logger log = LoggerFactory.getLogger(ReadDriver.class);

    private final ReadScope scope;
    private final ReadPathChoice route;
    private final DirectUse startedDirectly;
    private final ByteRange wanted;
    private final Outcome outcome;
    private final String transferId = VersionId.random().value();
    private final OpenChunks chunks = new OpenChunks();
    private final PartFeed parts;
    private final Racers racers;
    private final Relays relays;
    private final ServedChunks served;
    private final ReadFailures failures;
    private final LateReports lateReports;
    private final DeliveryAlarm alarm;
    private final Delivery delivery;
    private State state = State.READING;

    ReadDriver(
            ReadScope scope,
            ReadPathChoice route,
            DeliveryPolicy policy,
            Urgency urgency,
            Location location,
            ByteRange wanted,
            Outcome outcome) {
        this.scope = scope;
        this.route = route;
        this.startedDirectly = policy.direct().start();
        this.wanted = wanted;
        this.outcome = outcome;
        ClientContext context = scope.context();
        ReadPlan plan = scope.plan();
        served = new ServedChunks(context.reads().peers());
        failures = new ReadFailures(plan.version().file(), route.isDirect(), scope.ledger(), context.ticker());
        alarm = new DeliveryAlarm(context, scope.serial(), this::alarmRang);
        relays = new Relays(
                context.threads(), scope.serial(), scope.sink(), scope.credit(), windows(policy), new RelayEvents());
        LaneLayout lanes = policy.mode().lanes(plan.helpers().size());
        PlannedSpeeds speeds = new PlannedSpeeds(plan, context.reads().speeds()::speeds);
        PeerStage peers = new PeerStage(scope, location, urgency, speeds, new PeerEvents());
        parts = new PartFeed(scope, wanted, chunks, peers, new PartEvents());
        boolean solitary = !policy.mode().needsRivals();
        TransferSetup setup = new TransferSetup(transferId, plan, lanes, solitary, urgency);
        racers = new Racers(
                context,
                scope.serial(),
                plan,
                setup,
                policy.mode().lineup().lanes(),
                isSmall(wanted) && solitary ? Racers.Carrier.REQUEST : Racers.Carrier.TRANSFER,
                new RacerReports());
        lateReports = new LateReports(context, scope.ledger(), racers);
        delivery = new Delivery(
                policy,
                lanes,
                racers.ranks(),
                speeds,
                context.reads().redundancy(),
                SwitchOwners.of(plan, chunks),
                new Actions());
    }

    /** Returns whether a read is a request of the bulk plane to a helper, and not a transfer. */
    private static boolean isSmall(ByteRange wanted) {
        return wanted.length() <= MAX_SMALL_BYTES;
    }

    /**
     * The relays that have credit at once. A stream has one and spends the rest on prepared relays; a race has two, the
     * winner's and the next one's; otherwise each lane has one.
     */
    private static int windows(DeliveryPolicy policy) {
        if (policy.inOrder()) {
            return 1;
        }
        return policy.mode().lineup().isRace() ? 2 : SIDE_BY_SIDE;
    }

    /** The extra attempts issued so far, and how many of them won. */
    IssueCounts tally() {
        return delivery.counts();
    }

    void start() {
        if (!wanted.isEmpty() && !scope.plan().helpers().isEmpty()) {
            scope.context().links().get().register(transferId, this::relayOffered);
            racers.begin();
        }
        Set<StoreId> away = ids(store -> !store.available());
        if (!away.isEmpty()) {
            apply(now -> delivery.storesAway(away, now));
        }
        parts.pump();
    }

    /** The stores of the plan that fulfil a condition. */
    private Set<StoreId> ids(Predicate<StoreStatus> which) {
        return scope.plan().stores().stream()
                .filter(which)
                .map(status -> status.store().id())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Completes when the end of every attempt was reported, or after a short time. */
    CompletableFuture<Void> lastReports() {
        return lateReports.complete();
    }

    /** Ends everything that is open, here and at the helpers. Idempotent. */
    void close(ErrorCode why) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        route.ended(scope.plan(), startedDirectly, delivery.directUse());
        alarm.cancel();
        parts.close(why);
        served.close();
        delivery.close();
        relays.close(why);
        racers.close(hedges());
        if (!scope.plan().helpers().isEmpty()) {
            scope.context().links().get().unregister(transferId);
        }
    }

    // ---- the delivery: events in, orders out

    /** Reports an event to the delivery, then plans more if there is room. */
    private void happened(LongConsumer event) {
        if (state == State.READING) {
            apply(event);
            parts.pump();
        }
    }

    private void apply(LongConsumer event) {
        event.accept(scope.context().ticker().nanos());
        OptionalLong wake = delivery.wakeAtNanos();
        if (wake.isPresent() && state == State.READING && !alarm.set(wake.getAsLong())) {
            fail(Failures.clientClosed());
        }
    }

    private void alarmRang(boolean overslept) {
        if (overslept) {
            happened(delivery::resumed);
        }
        happened(delivery::timePassed);
    }

    /** The actions that the delivery orders. */
    private final class Actions implements DeliveryActions {
        @Override
        public void issue(Block block, IssueReason reason) {
            scope.trace().issued(block, reason, chunks.of(block).chunk().chunk().replicas(), racers::laneName);
            racers.issue(block, reason.isExtra(), chunks.of(block), scope.trace()::span);
        }

        @Override
        public void withdraw(Block block) {
            scope.trace().dropped(block);
            relays.withdraw(block.id());
            racers.withdraw(block);
        }

        @Override
        public void acknowledge(Block block) {
            scope.trace().dropped(block);
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
            scope.trace().shortened(block, kept.length());
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
            racers.withSameHost(racer).forEach(lane -> scope.trace().racerGone(lane, code));
            scope.ledger().racerGone(racers.name(racer), code);
            scope.serial().execute(() -> disksAway(racer));
        }

        @Override
        public void raceDirectly(int spare) {
            boolean byChoice = delivery.directUse() != DirectUse.LAST_RESORT;
            if (!byChoice && !route.isDirect()) {
                scope.ledger().racingLocally();
            }
            racers.raceDirectly(spare, byChoice);
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

    private void complete() {
        state = State.DELIVERED;
        relays.end();
        finishUnlessDoubted();
        lateReports.await();
        outcome.delivered();
    }

    /** Ends the transfer at the helpers, once those that were asked about a replica have answered. */
    private void finishUnlessDoubted() {
        if (!lateReports.hasDoubts()) {
            racers.finish(hedges());
        }
    }

    private HedgeCounts hedges() {
        IssueCounts tally = delivery.counts();
        return new HedgeCounts(
                tally.hedges() + tally.handOvers(), tally.hedgesWon() + tally.handOversWon(), tally.suppressed());
    }

    private void undeliverable(long chunkIndex, ErrorCode code) {
        ReadFailures.Undeliverable chunk = failures.undeliverable(chunkIndex, chunks.at(chunkIndex), code);
        if (chunk.consequence() == ReadFailures.Consequence.FAILED) {
            fail(chunk.cause());
            return;
        }
        scope.ledger()
                .startNextPlan(
                        chunks.deliveredBytes(),
                        chunks.keptBytes() + parts.keptBytes(),
                        chunks.peerBytes() + parts.peerBytes());
        if (chunk.consequence() == ReadFailures.Consequence.REFUSED) {
            outcome.refused(chunk.cause());
        } else {
            outcome.unreachable(chunk.cause());
        }
    }

    private void fail(CloudMwException cause) {
        if (state == State.READING) {
            outcome.failed(cause);
        }
    }

    /** Every wanted byte of the chunk has arrived. */
    private void chunkDone(Chunk chunk) {
        scope.ledger().chunkDone(chunk.index());
        scope.trace().chunkDone(chunk.index());
        served.finish(chunk);
    }

    // ---- parts of the file, and peers

    private final class PartEvents implements PartFeed.Listener {
        @Override
        public boolean isReading() {
            return state == State.READING;
        }

        @Override
        public boolean wantsPart() {
            return delivery.wantsPlan();
        }

        @Override
        public void began(ChunkPart chunk) {
            if (scope.plan().peers()) {
                served.begin(chunk.chunk());
            }
        }

        @Override
        public void planned(ChunkPart part) {
            PlannedChunk planned = part.item().chunk();
            Chunk chunk = part.chunk();
            chunks.add(
                    part.item(), part.kept(), part.fromPeers(), part.missing().length());
            ChunkPlan plan = new ChunkPlan(
                    chunk.index(),
                    part.missing(),
                    chunk.range().length(),
                    chunk.leafSizeBytes(),
                    chunk.replicas(),
                    planned.bad(),
                    planned.entrants());
            apply(now -> delivery.planned(plan, now));
        }

        @Override
        public void ended() {
            happened(delivery::planEnded);
        }

        @Override
        public void failed(CloudMwException cause) {
            fail(cause);
        }
    }

    private final class PeerEvents implements PeerStage.Listener {
        @Override
        public void searched() {
            parts.searched();
        }

        @Override
        public void broughtByPeer(int bytes) {
            if (state != State.CLOSED) { // the next plan counts anew what is not done
                scope.ledger().deliveredByPeer(bytes, wanted.length());
            }
        }

        @Override
        public void left(ChunkPart part) {
            if (state == State.CLOSED) {
                return;
            }
            if (part.missing().isEmpty()) {
                chunkDone(part.chunk());
            } else {
                parts.takeBack(part);
            }
            relays.memoryFreed();
            parts.pump();
        }

        @Override
        public void verified(Chunk chunk, long offset, ByteBuffer leaf) {
            served.keep(chunk, offset, leaf);
        }

        @Override
        public void destinationFailed(CloudMwException cause) {
            fail(cause);
        }
    }

    // ---- relays

    /** On an event loop. */
    private BulkStreamListener relayOffered(
            HelperAddress helper, RacerId racer, BlockId block, StoreId store, BulkStream stream)
            throws CloudMwException {
        if (!racers.isOf(racer, helper)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "racer " + racer.rank() + " is not helper " + helper.id() + "'s");
        }
        return offer(racer, block, store, new StreamRelaySource(stream));
    }

    /** Any thread. */
    private RelayReceiver offer(RacerId racer, BlockId block, StoreId store, RelaySource source) {
        failures.blockOffered();
        return relays.offer(racer, block, store, source);
    }

    private final class RelayEvents implements Relays.Listener {
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
            scope.ledger().delivered(bytes, wanted.length());
            scope.trace().won(relay.racer(), relay.block(), bytes);
            if (chunks.delivered(relay.chunk().index(), bytes)) {
                chunkDone(relay.chunk());
            }
        }

        @Override
        public void verified(Chunk chunk, long offset, ByteBuffer leaf) {
            served.keep(chunk, offset, leaf);
        }

        @Override
        public void won(RelayReceiver relay) {
            scope.ledger()
                    .won(new Win(
                            relay.chunk().index(),
                            relay.block().value(),
                            racers.name(relay.racer()),
                            relay.store(),
                            relay.returned()));
        }

        /** A switch's cached copy says nothing about the replica that it names, which nobody read. */
        @Override
        public void corrupt(RelayReceiver relay) {
            if (!racers.rejectCached(relay.racer(), relay.block())) {
                replicaFaulted(relay.chunk().id(), relay.store(), ErrorCode.REPLICA_CORRUPT);
            }
        }

        @Override
        public void damaged(RelayReceiver relay) {
            if (state == State.READING) {
                lateReports.doubt(relay.racer(), relay.block());
            }
        }

        @Override
        public void failedBecause(CloudMwException why) {
            failures.add(why);
        }

        @Override
        public void destinationFailed(CloudMwException cause) {
            fail(cause);
        }
    }

    // ---- racers

    private final class RacerReports implements RacerEvents {
        @Override
        public void attempted(RacerId racer, BlockId block, Attempt attempt) {
            if (state == State.CLOSED) {
                return;
            }
            scope.ledger().attempted(racer, attempt);
            scope.trace().attempted(racer, attempt);
            if (state == State.DELIVERED) {
                lateReports.arrived();
                return;
            }
            // An attempt that a switch served from its cache reports its end alone.
            if (!attempt.kept() || attempt.state() == AttemptState.FINISHED) {
                happened(now -> delivery.attempted(block, racer, stage(attempt), attempt.bytes(), now));
            }
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
            scope.trace().lost(racer, block);
            happened(now -> delivery.lost(block, racer, winner, now));
        }

        @Override
        public void forfeited(RacerId racer, BlockId block, ErrorCode code) {
            scope.trace().forfeited(racer, block, code);
            happened(now -> delivery.forfeited(block, racer, code, now));
        }

        @Override
        public void faulted(ChunkId chunk, StoreId store, ErrorCode code) {
            replicaFaulted(chunk, store, code);
        }

        @Override
        public void checked(BlockId block) {
            if (lateReports.checked(block)) {
                replicaChecked();
            }
        }

        @Override
        public void gone(RacerId racer, CloudMwException why) {
            if (lateReports.helperGone(racer)) {
                replicaChecked();
            }
            if (state == State.DELIVERED) {
                racers.reportedLast(racer);
                lateReports.arrived();
            }
            if (state != State.READING) {
                return;
            }
            failures.add(why);
            racers.abandon(racer, why.code());
            racers.withSameHost(racer).forEach(lane -> scope.trace().racerGone(lane, why.code()));
            scope.ledger().racerGone(racers.name(racer), why.code());
            happened(now -> delivery.racerGone(racer, now));
            disksAway(racer);
            if (why.code() == ErrorCode.UNAUTHENTICATED) {
                outcome.tokenRefused();
            }
        }

        @Override
        public void localRacersReady(List<RacerId> ranks, Map<StoreId, CloudMwException> unreadable) {
            Optional<CloudMwException> why = unreadable.values().stream().findFirst();
            if (route.isDirect()) {
                why.ifPresent(failures::add);
                if (ranks.isEmpty() && why.isPresent()) {
                    fail(failures.notDirect(why.get()));
                    return;
                }
            }
            happened(now -> delivery.localRacersReady(ranks, unreadable.keySet(), now));
        }

        @Override
        public void roomAfter(Duration pause) {
            failures.roomAfter(pause);
        }

        @Override
        public void localFailed(CloudMwException why) {
            failures.add(why);
        }

        @Override
        public RelayReceiver offer(RacerId racer, BlockId block, StoreId store, RelaySource source) {
            return ReadDriver.this.offer(racer, block, store, source);
        }

        @Override
        public long chunkOf(BlockId block) {
            return chunks.indexOf(block);
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

    /** Reports a bad or missing replica to the coordinator, once. */
    private void replicaFaulted(ChunkId chunk, StoreId store, ErrorCode code) {
        if (state == State.CLOSED || !scope.ledger().faulted(new ReplicaFault(chunk, store, code))) {
            return;
        }
        ReplicaState found = code == ErrorCode.REPLICA_MISSING ? ReplicaState.MISSING : ReplicaState.CORRUPT;
        CompletableFuture<Void> unused = scope.context()
                .coordinator()
                .report(scope.plan().version(), List.of(new ReplicaReport(chunk, store, found)))
                .exceptionally(failure -> {
                    log.debug("replica fault not reported: chunk={} store={}", chunk, store, failure);
                    return null;
                });
    }

    /** After the last check of a doubted replica, a delivered read ends at its helpers. */
    private void replicaChecked() {
        if (state == State.DELIVERED) {
            finishUnlessDoubted();
            lateReports.arrived();
        }
    }

    /** Tells the delivery that a lost helper's disks are out of reach: other helpers read them through that helper. */
    private void disksAway(RacerId racer) {
        ReadPlan plan = scope.plan();
        if (state != State.READING || racer.rank() >= plan.helpers().size()) {
            return;
        }
        HelperId gone = plan.helpers().get(racer.rank()).id();
        Set<StoreId> disks = ids(status -> status.store().owner().equals(Optional.of(gone)));
        if (!disks.isEmpty()) {
            happened(now -> delivery.storesAway(disks, now));
        }
    }
}
