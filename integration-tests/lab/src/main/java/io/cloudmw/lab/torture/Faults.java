package io.cloudmw.lab.torture;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.lab.torture.fault.FaultKind;
import io.cloudmw.lab.torture.fault.FaultMix;
import io.cloudmw.lab.torture.fault.StoreLoss;
import io.cloudmw.lab.torture.model.CallInterval;
import io.cloudmw.lab.torture.model.Finding;
import io.cloudmw.lab.torture.model.FindingKind;
import io.cloudmw.lab.torture.model.Kept;
import io.cloudmw.lab.torture.network.CutKind;
import io.cloudmw.lab.torture.network.Pair;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Breaks things, drawn from a seed by a {@link FaultMix}, and mends them again. One store at a time is out of reach, or full, and beside
 * it one more may be lost with all it has: of each chunk that has all its copies one stays within reach. The helper of a store that is
 * lost comes back with an empty disk, which the cluster is told: at once, or when the other stores have everything as often as it
 * ought to be. A bucket that is lost is declared lost, and another one takes its place. A loss comes now and then, of a disk and of a
 * bucket in turn, and once at least of each. Disks leave the volumes and join them again, and replicas become more and fewer, each
 * once at least: a run that was too short for that goes on until it was so. Copies are
 * harmed only where all are good. So every acknowledged byte is kept somewhere. Meanwhile a coordinator, or the clients' way to it, may be
 * gone, and two helpers may not reach each other.
 */
final class Faults implements AutoCloseable {
    private static final long SHORTEST_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(8).toNanos();
    private static final long LONGEST_GAP_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long FIRST_LOSS_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long BETWEEN_LOSSES_NANOS = Duration.ofSeconds(75).toNanos();
    static final Duration REPLICATION = Duration.ofMinutes(5);
    private static final long RECOVERY_NANOS = Duration.ofMinutes(2).toNanos();
    private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();
    private static final long CLOSE_SECONDS = 5;
    private static final int TRIES = 20;

    /**
     * A fault that was drawn.
     *
     * @param flag which of two ways a disk is filled; of a lost one, whether an empty disk takes its place at once
     */
    private record Fault(
            FaultKind kind, String one, String other, CutKind cut, boolean flag, long nanos, long restNanos) {
        Pair pair() {
            return new Pair(one, other);
        }

        @Override
        public String toString() {
            String what = kind.label() + " "
                    + (kind.isCut() ? pair() + " (" + cut.name().toLowerCase(Locale.ROOT) + ")" : one)
                    + (kind == FaultKind.DISK_FULL && flag ? " (of files)" : "");
            return kind == FaultKind.STORE_LOST || kind == FaultKind.BUCKET_LOST
                    ? what
                    : String.format(Locale.ROOT, "%s for %.1f s", what, nanos / 1e9);
        }
    }

    private final TortureRun run;
    private final TortureFleet fleet;
    private final FaultMix mix;
    private final SplittableRandom gaps;
    private final Map<FaultKind, AtomicInteger> counts = new EnumMap<>(FaultKind.class);
    private final Set<FaultKind.Place> busy = ConcurrentHashMap.newKeySet();
    /** Helpers whose stores are not to be counted upon. */
    private final Set<String> out = ConcurrentHashMap.newKeySet();

    private final CountDownLatch stopping = new CountDownLatch(1);
    /** Nothing new is broken any more. */
    private final CountDownLatch stopped = new CountDownLatch(1);

    private final SplittableRandom lost;
    private final List<StoreLoss> losses = new CopyOnWriteArrayList<>();
    private long nextLossNanos;
    private boolean hasLostDisk;
    private boolean hasLostBucket;
    /** True if a bucket is lost next, otherwise a disk. */
    private boolean losesBucket;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> new Thread(task, "torture-fault"));

    Faults(TortureRun run) {
        this.run = run;
        this.fleet = run.fleet();
        this.gaps = new SplittableRandom(run.settings().seed());
        this.lost = gaps.split();
        this.mix = new FaultMix(
                gaps.nextLong(),
                Arrays.stream(FaultKind.values())
                        .filter(kind -> kind.isDrawn(fleet.canCut()))
                        .toList());
        for (FaultKind kind : FaultKind.values()) {
            counts.put(kind, new AtomicInteger());
        }
    }

    /** Breaks something now and then until it is healed or closed. */
    void start() {
        threads.execute(() -> {
            nextLossNanos = run.now()
                    + Math.min(FIRST_LOSS_NANOS, run.settings().duration().toNanos() / 2);
            try {
                while (!stopping.await(gaps.nextLong(LONGEST_GAP_NANOS), TimeUnit.NANOSECONDS)) {
                    inject();
                }
                makeUp();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                stopped.countDown();
            }
        });
    }

    /** Goes on until each kind of loss, and each kind of change of volumes, was there once and is over. */
    private void makeUp() throws InterruptedException {
        boolean changes = false;
        while (lacksLoss() || lacksChange() || (changes && busy.contains(FaultKind.Place.VOLUMES))) {
            if (lacksLoss()) {
                lose();
            }
            Optional<FaultMix.Drawn> change = mix.next(kind -> isLackingChange(kind) && !busy.contains(kind.place()));
            if (change.isPresent()) {
                changes = true;
                execute(draw(change.get().kind(), change.get().random()));
            }
            Sleeper.system().sleep(POLL_NANOS);
        }
    }

    private boolean lacksLoss() {
        return mayLose() && !(hasLostDisk && hasLostBucket);
    }

    private boolean lacksChange() {
        return Arrays.stream(FaultKind.values()).anyMatch(this::isLackingChange);
    }

    private boolean isLackingChange(FaultKind kind) {
        return kind.place() == FaultKind.Place.VOLUMES
                && counts.getOrDefault(kind, new AtomicInteger()).get() == 0;
    }

    private void inject() throws InterruptedException {
        if (mayLose() && run.now() >= nextLossNanos) {
            lose();
        }
        Optional<FaultMix.Drawn> drawn = mix.next(kind -> !busy.contains(kind.place()));
        if (drawn.isEmpty()) {
            return;
        }
        FaultKind kind = drawn.get().kind();
        if (kind.place() == FaultKind.Place.COPIES) {
            harm(kind, drawn.get().random());
        } else {
            execute(draw(kind, drawn.get().random()));
        }
    }

    /** What one store had must have room in the others. */
    private boolean mayLose() {
        return fleet.helpers().size() > TortureSettings.REPLICAS;
    }

    /** Unless one is lost already. */
    private void lose() {
        if (!busy.contains(FaultKind.Place.LOST_STORE)) {
            nextLossNanos = run.now() + BETWEEN_LOSSES_NANOS;
            if (losesBucket) {
                losesBucket = false;
                hasLostBucket = true;
                execute(new Fault(
                        FaultKind.BUCKET_LOST, fleet.bucket(), TortureFleet.CLIENTS, CutKind.NONE, false, 0, 0));
                return;
            }
            losesBucket = true;
            hasLostDisk = true;
            execute(new Fault(
                    FaultKind.STORE_LOST,
                    one(fleet.helpers(), lost),
                    TortureFleet.CLIENTS,
                    CutKind.NONE,
                    lost.nextBoolean(),
                    0,
                    0));
        }
    }

    /** Only this thread takes places. */
    private void execute(Fault fault) {
        busy.add(fault.kind().place());
        if (fault.kind().isOfStore()) {
            out.add(fault.one());
        }
        try {
            threads.execute(() -> live(fault));
        } catch (RejectedExecutionException e) {
            mended(fault);
            busy.remove(fault.kind().place());
        }
    }

    private void mended(Fault fault) {
        if (fault.kind().isOfStore()) {
            out.remove(fault.one());
        }
    }

    /** One that is not out already. */
    private String one(List<String> names, SplittableRandom random) {
        List<String> there = names.stream().filter(name -> !out.contains(name)).toList();
        return there.get(random.nextInt(there.size()));
    }

    private Fault draw(FaultKind kind, SplittableRandom random) {
        List<String> helpers = fleet.helpers();
        String one = kind.place() == FaultKind.Place.VOLUMES
                ? TortureFleet.store(helpers.get(random.nextInt(helpers.size())))
                : one(kind.place() == FaultKind.Place.COORDINATOR ? fleet.coordinators() : helpers, random);
        String other = switch (kind) {
            case HELPERS_CUT ->
                one(helpers.stream().filter(name -> !name.equals(one)).toList(), random);
            case HELPER_CUT_FROM_COORDINATOR -> one(fleet.coordinators(), random);
            default -> TortureFleet.CLIENTS;
        };
        return new Fault(
                kind,
                one,
                other,
                random.nextBoolean() ? CutKind.STALLED : CutKind.RESET,
                random.nextBoolean(),
                random.nextLong(SHORTEST_NANOS, LONGEST_NANOS),
                random.nextLong(TimeUnit.SECONDS.toNanos(kind.place().longestRestSeconds()) + 1));
    }

    /** What cannot be counted upon meanwhile: a disk that is full can be read. */
    private Optional<String> outage(Fault fault) {
        return switch (fault.kind()) {
            case DISK_FULL -> fleet.fillsInPlace() ? Optional.empty() : Optional.of(TortureFleet.store(fault.one()));
            case HELPER_KILLED, HELPER_PAUSED, STORE_LOST, CLIENTS_CUT_FROM_HELPER, HELPER_CUT_FROM_COORDINATOR ->
                Optional.of(TortureFleet.store(fault.one()));
            case COORDINATOR_KILLED, COORDINATOR_PAUSED, CLIENTS_CUT_FROM_COORDINATOR -> Optional.of(fault.one());
            case BUCKET_LOST -> Optional.of(fault.one());
            default -> Optional.empty();
        };
    }

    private void harm(FaultKind kind, SplittableRandom random) throws InterruptedException {
        if (fleet.coordinators().stream().allMatch(run.outages()::lasts)) {
            return;
        }
        DiskReplicas.Harm harm = switch (kind) {
            case COPY_DELETED -> DiskReplicas.Harm.DELETE;
            case COPY_TRUNCATED -> DiskReplicas.Harm.TRUNCATE;
            default -> DiskReplicas.Harm.FLIP_BIT;
        };
        List<FilePath> paths = run.model().paths();
        for (int i = 0; i < TRIES && !paths.isEmpty(); i++) {
            FilePath path = paths.get(random.nextInt(paths.size()));
            Optional<Kept> kept = run.model().kept(path);
            Optional<String> harmed =
                    kept.isPresent() ? run.replicas().harm(path, kept.get(), harm, random) : Optional.empty();
            if (harmed.isPresent()) {
                count(kind);
                run.journal().say(kind.label() + " " + harmed.get() + " of " + path);
                return;
            }
        }
    }

    private void count(FaultKind kind) {
        AtomicInteger count = counts.get(kind);
        if (count != null) {
            count.incrementAndGet();
        }
    }

    private void live(Fault fault) {
        try {
            breakAndMend(fault);
            mended(fault);
            boolean unused = stopping.await(fault.restNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            busy.remove(fault.kind().place());
        }
    }

    private void breakAndMend(Fault fault) throws InterruptedException {
        Optional<String> outage = outage(fault);
        outage.ifPresent(what -> run.outages().begin(what, run.now()));
        run.journal().say(fault.toString());
        count(fault.kind());
        try {
            if (fault.kind() == FaultKind.STORE_LOST) {
                awaitCopied(fault);
            } else if (fault.kind() == FaultKind.BUCKET_LOST) {
                awaitCopiedFromBucket(fault);
                return;
            } else {
                begin(fault);
                boolean unused = stopped.await(fault.nanos(), TimeUnit.NANOSECONDS);
            }
            end(fault);
            if (outage.isPresent()) {
                awaitBack(fault, outage.get());
            }
        } catch (IOException | RuntimeException e) {
            run.journal()
                    .found(new Finding(
                            FindingKind.UNEXPLAINED,
                            fault.one(),
                            fault + ": it was not to be mended: " + e,
                            List.of()));
        } finally {
            outage.ifPresent(what -> run.outages().end(what, run.now()));
        }
    }

    private void begin(Fault fault) throws IOException, InterruptedException {
        switch (fault.kind()) {
            case HELPER_KILLED, COORDINATOR_KILLED -> fleet.process(fault.one()).kill();
            case HELPER_PAUSED, COORDINATOR_PAUSED -> fleet.process(fault.one()).pause();
            case DISK_FULL -> fleet.fill(fault.one(), fault.flag());
            case STORE_LEAVES -> fleet.change(change -> change.removeStore(new StoreId(fault.one())));
            case REPLICAS_CHANGED -> fleet.change(change -> change.replicas(TortureSettings.REPLICAS + 1));
            default -> fleet.cut(fault.pair(), fault.cut());
        }
    }

    private void end(Fault fault) throws IOException, InterruptedException {
        switch (fault.kind()) {
            case HELPER_KILLED, COORDINATOR_KILLED -> fleet.restart(fault.one());
            case STORE_LOST -> {
                // Otherwise its empty disk was taken in at once.
                if (!fault.flag()) {
                    fleet.restartReplaced(fault.one());
                }
            }
            case HELPER_PAUSED, COORDINATOR_PAUSED -> fleet.process(fault.one()).resume();
            case DISK_FULL -> fleet.relieve(fault.one());
            case STORE_LEAVES -> fleet.change(change -> change.addStore(new StoreId(fault.one())));
            case REPLICAS_CHANGED -> fleet.change(change -> change.replicas(TortureSettings.REPLICAS));
            default -> fleet.cut(fault.pair(), CutKind.NONE);
        }
    }

    /** Takes a store away and waits until what it had is made anew: in the others, or in it too when it has a new disk. */
    private void awaitCopied(Fault loss) throws InterruptedException, IOException {
        String store = TortureFleet.store(loss.one());
        fleet.process(loss.one()).kill();
        long since = run.now();
        long copies = fleet.wipe(store);
        if (loss.flag()) {
            fleet.restartReplaced(loss.one());
        }
        Optional<StoreId> away = loss.flag() ? Optional.empty() : Optional.of(new StoreId(store));
        if (!new ReplicationCheck(away).await(run, REPLICATION)) {
            run.journal()
                    .found(new Finding(
                            FindingKind.UNEXPLAINED,
                            store,
                            "its " + copies + " copies are not all made anew after " + REPLICATION.toSeconds() + " s",
                            List.of()));
            return;
        }
        StoreLoss made = new StoreLoss(store, copies, (run.now() - since) / 1e9);
        losses.add(made);
        run.journal().say(made.toString());
    }

    /** Takes a bucket away, declares it lost, and waits until what it had is made anew and the cluster has forgotten it. */
    private void awaitCopiedFromBucket(Fault loss) throws InterruptedException, IOException {
        String store = loss.one();
        long since = run.now();
        long copies = fleet.wipeBucket(store);
        fleet.lose(store);
        if (!new ReplicationCheck(Optional.of(new StoreId(store))).await(run, REPLICATION)) {
            run.journal()
                    .found(new Finding(
                            FindingKind.UNEXPLAINED,
                            store,
                            "its " + copies + " copies are not all made anew after " + REPLICATION.toSeconds() + " s",
                            List.of()));
            return;
        }
        StoreLoss made = new StoreLoss(store, copies, (run.now() - since) / 1e9);
        losses.add(made);
        run.journal().say(made.toString());
        fleet.addBucket();
        if (awaitUnused(store)) {
            fleet.remove(store);
            run.journal().say("forgotten: " + store);
        }
    }

    /** Until no volume uses a store any more. */
    private boolean awaitUnused(String store) throws InterruptedException {
        long since = run.now();
        while (fleet.isUsed(store)) {
            long away = run.coordinatorAwayNanos(new CallInterval(since, run.now()));
            if (run.now() - since - away > REPLICATION.toNanos()) {
                run.journal()
                        .found(new Finding(
                                FindingKind.UNEXPLAINED,
                                store,
                                "volumes still use it after " + REPLICATION.toSeconds() + " s: " + fleet.kept(store),
                                List.of()));
                return false;
            }
            Sleeper.system().sleep(POLL_NANOS);
        }
        return true;
    }

    /** Lets the volumes do without the bucket, when nothing is broken any more: they let go of it, and it can be removed. */
    void letBucketGo() throws InterruptedException {
        String store = fleet.bucket();
        fleet.change(change -> change.removeStore(new StoreId(store)));
        if (awaitUnused(store)) {
            fleet.remove(store);
            run.journal().say("let go: " + store);
        }
    }

    /** Until the coordinator answers, and counts upon what was gone; upon all stores that are not gone for another reason. */
    private void awaitBack(Fault fault, String outage) throws InterruptedException {
        long since = run.now();
        while (!isBack(outage)) {
            if (run.now() - since > RECOVERY_NANOS) {
                run.journal()
                        .found(new Finding(
                                FindingKind.UNEXPLAINED,
                                fault.one(),
                                fault + ": not back " + TimeUnit.NANOSECONDS.toSeconds(RECOVERY_NANOS)
                                        + " s after it was mended",
                                List.of()));
                return;
            }
            Sleeper.system().sleep(POLL_NANOS);
        }
        run.journal().say("back: " + outage);
    }

    private boolean isBack(String outage) throws InterruptedException {
        Set<String> available = fleet.available();
        return fleet.coordinators().contains(outage)
                ? fleet.stores().stream()
                        .allMatch(store ->
                                available.contains(store) || run.outages().lasts(store))
                : available.contains(outage);
    }

    /** Mends everything and waits until it is well again. */
    void heal() throws InterruptedException {
        stopping.countDown();
        stopped.await();
        threads.shutdown();
        if (!threads.awaitTermination(REPLICATION.toNanos() + RECOVERY_NANOS, TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("faults are still being mended");
        }
    }

    /** Stores that were lost, and are there again as often as they ought to be, in their order. */
    List<StoreLoss> losses() {
        return List.copyOf(losses);
    }

    /** How many of each. */
    Map<FaultKind, AtomicInteger> counts() {
        return Collections.unmodifiableMap(counts);
    }

    /** Breaks nothing any more and mends nothing: only what stands still goes on, so that it can end. Idempotent. */
    @Override
    public void close() {
        stopping.countDown();
        threads.shutdownNow();
        try {
            boolean unused = threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        fleet.resumeAll();
    }
}
