package io.cloudmw.lab.torture;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.lab.torture.fault.FaultKind;
import io.cloudmw.lab.torture.fault.FaultMix;
import io.cloudmw.lab.torture.fault.SecretRotation;
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
import java.util.stream.Stream;

/**
 * The fault injector of a run: draws faults by a {@link FaultMix}, injects and repairs them. The schedule keeps every
 * acknowledged byte in at least one store:
 *
 * <ul>
 *   <li>At most one store is unreachable or full at a time. One more may be lost with all its bytes; each fully
 *       replicated chunk then still has a reachable copy.
 *   <li>The helper of a lost disk returns with an empty disk, which the cluster is told is new. This happens at once,
 *       or when the other stores have all replicas again.
 *   <li>A lost bucket is declared lost, and a new bucket takes its place. Losses alternate between disks and buckets.
 *   <li>Disks leave the volumes and rejoin, and the replication factor goes up and down.
 *   <li>A copy is damaged only where all copies of the chunk are good.
 * </ul>
 *
 * <p>Under TLS the authority is replaced all the time, while certificates are renewed. That makes nothing unavailable.
 * The cluster's secret is rotated as its operators do it: processes restart one after the other in each round, when their
 * place has no other fault.
 *
 * <p>Each kind of loss, of volume change and of rotation happens at least once; a short run is extended for that. Besides, a
 * coordinator or the network between it and clients may fail, and the network between two helpers.
 */
final class Faults implements AutoCloseable {
    private static final long SHORTEST_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(8).toNanos();
    private static final long LONGEST_GAP_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long FIRST_LOSS_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long BETWEEN_LOSSES_NANOS = Duration.ofSeconds(75).toNanos();
    static final Duration REPLICATION = Duration.ofMinutes(5);
    private static final long RECOVERY_NANOS = Duration.ofMinutes(2).toNanos();
    /** The time limit for the first replacement of the authority and the first rotation of the secret. */
    private static final long ROTATION_NANOS = Duration.ofMinutes(10).toNanos();

    private static final long BETWEEN_ROTATIONS_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();
    private static final long CLOSE_SECONDS = 5;
    private static final int TRIES = 20;

    /**
     * A fault to inject.
     *
     * @param flag for a full disk: whether files rather than bytes are exhausted; for a lost disk: whether an empty
     *     disk replaces it at once
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
    /** The helpers and buckets whose stores are affected by a current fault. */
    private final Set<String> out = ConcurrentHashMap.newKeySet();

    private final CountDownLatch stopping = new CountDownLatch(1);
    /** Opens when no new faults are injected any more. */
    private final CountDownLatch stopped = new CountDownLatch(1);

    private final SecretRotation secret;
    private final SplittableRandom lost;
    private final List<StoreLoss> losses = new CopyOnWriteArrayList<>();
    private long nextLossNanos;
    private boolean hasLostDisk;
    private boolean hasLostBucket;
    /** Whether the next loss is that of a bucket; otherwise of a disk. */
    private boolean losesBucket;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> new Thread(task, "torture-fault"));

    Faults(TortureRun run) {
        this.run = run;
        this.fleet = run.fleet();
        this.gaps = new SplittableRandom(run.settings().seed());
        this.lost = gaps.split();
        this.secret = new SecretRotation(
                Stream.concat(fleet.coordinators().stream(), fleet.helpers().stream())
                        .toList(),
                TortureFleet.TOKEN_LIFE.toNanos(),
                BETWEEN_ROTATIONS_NANOS);
        this.mix = new FaultMix(
                gaps.nextLong(),
                Arrays.stream(FaultKind.values())
                        .filter(kind -> kind.isDrawn(fleet.canCut()))
                        .toList());
        for (FaultKind kind : FaultKind.values()) {
            counts.put(kind, new AtomicInteger());
        }
    }

    /** Injects faults at random times until {@link #heal} or {@link #close}. */
    void start() {
        if (!fleet.isPlainText()) {
            threads.execute(this::replaceAuthorities);
        }
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

    /** Replaces the authority step by step; between two steps every certificate is renewed. */
    private void replaceAuthorities() {
        try {
            while (!stopping.await(0, TimeUnit.NANOSECONDS)) {
                for (String step : List.of("prepare", "switch", "finish")) {
                    run.journal().say("authority " + step);
                    fleet.replaceAuthority(step);
                    if (step.equals("finish")) {
                        count(FaultKind.AUTHORITY_REPLACED);
                    }
                    if (stopping.await(TortureFleet.RENEWAL.toNanos(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            run.journal().found(new Finding(FindingKind.UNEXPLAINED, "authority", e.toString(), List.of()));
        }
    }

    /**
     * Waits until the authority was replaced and the secret was rotated at least once. Call while clients work, since
     * their operations are what a rotation may break.
     */
    void awaitRotations() throws InterruptedException {
        long since = run.now();
        while (secret.rotations() == 0 || (!fleet.isPlainText() && counted(FaultKind.AUTHORITY_REPLACED) == 0)) {
            if (run.now() - since > ROTATION_NANOS) {
                run.journal()
                        .found(new Finding(
                                FindingKind.UNEXPLAINED,
                                "rotations",
                                "not every secret was rotated within " + TimeUnit.NANOSECONDS.toSeconds(ROTATION_NANOS)
                                        + " s",
                                List.of()));
                return;
            }
            Sleeper.system().sleep(POLL_NANOS);
        }
    }

    /** Continues the rotation of the secret: with the restart of a process without another fault, or with a round. */
    private void rotateSecret() {
        Optional<SecretRotation.Round> round = secret.begin(run.now());
        if (round.isPresent()) {
            run.journal().say("secret: round " + round.get());
            try {
                fleet.rotateSecret(round.get());
            } catch (IOException e) {
                run.journal().found(new Finding(FindingKind.UNEXPLAINED, "secret", e.toString(), List.of()));
            }
        }
        secret.next(name -> !busy.contains(restartOf(name).place()) && !out.contains(name))
                .ifPresent(name ->
                        execute(new Fault(restartOf(name), name, TortureFleet.CLIENTS, CutKind.NONE, false, 0, 0)));
    }

    /** Returns whether a process in this place waits for its restart: it comes before other faults. */
    private boolean isNeeded(FaultKind.Place place) {
        return secret.isWaiting(name -> restartOf(name).place() == place);
    }

    private FaultKind restartOf(String name) {
        return fleet.coordinators().contains(name) ? FaultKind.COORDINATOR_RESTARTED : FaultKind.HELPER_RESTARTED;
    }

    /**
     * Injects the kinds of losses and of volume changes that have not happened yet, and waits for the volume changes to
     * end.
     */
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
        return kind.place() == FaultKind.Place.VOLUMES && counted(kind) == 0;
    }

    private int counted(FaultKind kind) {
        return counts.getOrDefault(kind, new AtomicInteger()).get();
    }

    private void inject() throws InterruptedException {
        rotateSecret();
        if (mayLose() && run.now() >= nextLossNanos) {
            lose();
        }
        Optional<FaultMix.Drawn> drawn = mix.next(kind -> !busy.contains(kind.place()) && !isNeeded(kind.place()));
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

    /** Returns whether the other stores suffice for all replicas after a loss. */
    private boolean mayLose() {
        return fleet.helpers().size() > TortureSettings.REPLICAS;
    }

    /** Injects a loss, unless an earlier one is not repaired yet. */
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

    /**
     * Injects a fault on a thread of its own. Only the injector's thread calls this, so a place is never taken twice.
     */
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

    /** Draws a name that no current fault affects. */
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

    /**
     * Returns the store or coordinator that is unavailable during a fault. A full disk can still be read, unless its
     * helper restarts for the fault.
     */
    private Optional<String> outage(Fault fault) {
        return switch (fault.kind()) {
            case DISK_FULL -> fleet.fillsInPlace() ? Optional.empty() : Optional.of(TortureFleet.store(fault.one()));
            case HELPER_KILLED,
                    HELPER_PAUSED,
                    HELPER_RESTARTED,
                    STORE_LOST,
                    CLIENTS_CUT_FROM_HELPER,
                    HELPER_CUT_FROM_COORDINATOR -> Optional.of(TortureFleet.store(fault.one()));
            case COORDINATOR_KILLED, COORDINATOR_PAUSED, COORDINATOR_RESTARTED, CLIENTS_CUT_FROM_COORDINATOR ->
                Optional.of(fault.one());
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
            boolean restarted =
                    fault.kind() == FaultKind.HELPER_RESTARTED || fault.kind() == FaultKind.COORDINATOR_RESTARTED;
            if (restarted && secret.restarted(run.now())) {
                count(FaultKind.SECRET_ROTATED);
                run.journal().say("secret: rotated");
            }
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
                            FindingKind.UNEXPLAINED, fault.one(), fault + ": the repair failed: " + e, List.of()));
        } finally {
            outage.ifPresent(what -> run.outages().end(what, run.now()));
        }
    }

    private void begin(Fault fault) throws IOException, InterruptedException {
        switch (fault.kind()) {
            case HELPER_KILLED, COORDINATOR_KILLED -> fleet.process(fault.one()).kill();
            case HELPER_PAUSED, COORDINATOR_PAUSED -> fleet.process(fault.one()).pause();
            case HELPER_RESTARTED, COORDINATOR_RESTARTED -> fleet.restart(fault.one());
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
                // Unless an empty disk was put in place at once.
                if (!fault.flag()) {
                    fleet.restartReplaced(fault.one());
                }
            }
            case HELPER_PAUSED, COORDINATOR_PAUSED -> fleet.process(fault.one()).resume();
            case HELPER_RESTARTED, COORDINATOR_RESTARTED -> {
                // It runs again.
            }
            case DISK_FULL -> fleet.relieve(fault.one());
            case STORE_LEAVES -> fleet.change(change -> change.addStore(new StoreId(fault.one())));
            case REPLICAS_CHANGED -> fleet.change(change -> change.replicas(TortureSettings.REPLICAS));
            default -> fleet.cut(fault.pair(), CutKind.NONE);
        }
    }

    /**
     * Loses a disk and waits until its copies are made again: on the other stores, and on the disk that replaces it, if
     * any.
     */
    private void awaitCopied(Fault loss) throws InterruptedException, IOException {
        String store = TortureFleet.store(loss.one());
        fleet.process(loss.one()).kill();
        long since = run.now();
        long copies = fleet.wipe(store);
        if (loss.flag()) {
            fleet.restartReplaced(loss.one());
        }
        Optional<StoreId> away = loss.flag() ? Optional.empty() : Optional.of(new StoreId(store));
        if (!areCopiedAgain(store, copies, new ReplicationCheck(away))) {
            return;
        }
        StoreLoss made = new StoreLoss(store, copies, (run.now() - since) / 1e9);
        losses.add(made);
        run.journal().say(made.toString());
    }

    /**
     * Loses a bucket and declares it lost. Waits until its copies are made again, then adds a new bucket and removes
     * the lost store from the cluster.
     */
    private void awaitCopiedFromBucket(Fault loss) throws InterruptedException, IOException {
        String store = loss.one();
        long since = run.now();
        long copies = fleet.wipeBucket(store);
        fleet.lose(store);
        if (!areCopiedAgain(store, copies, new ReplicationCheck(Optional.of(new StoreId(store))))) {
            return;
        }
        StoreLoss made = new StoreLoss(store, copies, (run.now() - since) / 1e9);
        losses.add(made);
        run.journal().say(made.toString());
        fleet.addBucket();
        if (awaitUnused(store)) {
            fleet.remove(store);
            run.journal().say("removed after its loss: " + store);
        }
    }

    /** Waits until the copies of a lost store are made again. */
    private boolean areCopiedAgain(String store, long copies, ReplicationCheck check) throws InterruptedException {
        boolean full = check.await(run, REPLICATION);
        if (!full) {
            run.journal()
                    .found(new Finding(
                            FindingKind.UNEXPLAINED,
                            store,
                            "its " + copies + " copies were not all made again within " + REPLICATION.toSeconds()
                                    + " s; " + check.seen(),
                            List.of()));
        }
        return full;
    }

    /** Waits until no volume uses a store. */
    private boolean awaitUnused(String store) throws InterruptedException {
        long since = run.now();
        while (fleet.isUsed(store)) {
            long away = run.coordinatorAwayNanos(new CallInterval(since, run.now()));
            if (run.now() - since - away > REPLICATION.toNanos()) {
                run.journal()
                        .found(new Finding(
                                FindingKind.UNEXPLAINED,
                                store,
                                "volumes still use the removed store after " + REPLICATION.toSeconds() + " s: "
                                        + fleet.kept(store),
                                List.of()));
                return false;
            }
            Sleeper.system().sleep(POLL_NANOS);
        }
        return true;
    }

    /**
     * Removes the bucket from all volumes after the last fault; waits until no volume uses it and removes the store.
     */
    void letBucketGo() throws InterruptedException {
        String store = fleet.bucket();
        fleet.change(change -> change.removeStore(new StoreId(store)));
        if (awaitUnused(store)) {
            fleet.remove(store);
            run.journal().say("removed from the volumes and the cluster: " + store);
        }
    }

    /**
     * Waits until the cluster recovers from a fault: a coordinator must answer and regard the affected stores as
     * available. After a coordinator's fault this means all stores without a fault of their own.
     */
    private void awaitBack(Fault fault, String outage) throws InterruptedException {
        long since = run.now();
        while (!isBack(outage)) {
            if (run.now() - since > RECOVERY_NANOS) {
                run.journal()
                        .found(new Finding(
                                FindingKind.UNEXPLAINED,
                                fault.one(),
                                fault + ": no recovery within " + TimeUnit.NANOSECONDS.toSeconds(RECOVERY_NANOS)
                                        + " s after the repair",
                                List.of()));
                return;
            }
            Sleeper.system().sleep(POLL_NANOS);
        }
        run.journal().say("recovered: " + outage);
    }

    private boolean isBack(String outage) throws InterruptedException {
        Set<String> available = fleet.available();
        return fleet.coordinators().contains(outage)
                ? fleet.stores().stream()
                        .allMatch(store ->
                                available.contains(store) || run.outages().lasts(store))
                : available.contains(outage);
    }

    /** Stops injecting faults, repairs all faults and waits for the recovery. */
    void heal() throws InterruptedException {
        stopping.countDown();
        stopped.await();
        threads.shutdown();
        if (!threads.awaitTermination(REPLICATION.toNanos() + RECOVERY_NANOS, TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("faults were not repaired in time");
        }
    }

    /** Returns the lost stores whose copies were all made again, in the order of recovery. */
    List<StoreLoss> losses() {
        return List.copyOf(losses);
    }

    /** Returns the number of faults of each kind. */
    Map<FaultKind, AtomicInteger> counts() {
        return Collections.unmodifiableMap(counts);
    }

    /** Stops without repairs, except that paused processes resume, so that they can end. Idempotent. */
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
