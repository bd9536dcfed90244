package io.cloudmw.client.cli.torture;

import io.cloudmw.client.cli.torture.model.Finding;
import io.cloudmw.client.cli.torture.model.Kept;
import io.cloudmw.client.cli.torture.model.Kind;
import io.cloudmw.client.cli.torture.network.Cut;
import io.cloudmw.client.cli.torture.network.Pair;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Sleeper;
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
 * Breaks things, drawn from a seed, and mends them again. At most one store is out of reach at once, for whatever reason, and
 * copies are harmed only where enough good ones are left for that: every acknowledged byte stays within reach. Beside it the
 * coordinator, or the clients' way to it, may be gone, and two helpers may not reach each other. Now and then, and once at
 * least, a store is lost with all it has; it stays away until the cluster says that everything is there as often as it ought to
 * be, and is empty then.
 */
final class Faults implements AutoCloseable {
    private static final long SHORTEST_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(8).toNanos();
    private static final long LONGEST_GAP_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long FIRST_LOSS_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long BETWEEN_LOSSES_NANOS = Duration.ofMinutes(3).toNanos();
    static final Duration REPLICATION = Duration.ofMinutes(5);
    private static final long RECOVERY_NANOS = Duration.ofMinutes(2).toNanos();
    private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();
    private static final long CLOSE_SECONDS = 5;
    private static final int TRIES = 20;

    /** What can only be once at a time. */
    private enum Place {
        STORE(2),
        COORDINATOR(15),
        BETWEEN_HELPERS(2),
        COPIES(0);

        /** It is left in peace for so long at most before the next. */
        private final long longestRestNanos;

        Place(long longestRestSeconds) {
            longestRestNanos = TimeUnit.SECONDS.toNanos(longestRestSeconds);
        }
    }

    /** What is done to the fleet. */
    enum FaultKind {
        HELPER_KILLED(Place.STORE),
        HELPER_PAUSED(Place.STORE),
        DISK_FULL(Place.STORE),
        STORE_LOST(Place.STORE),
        CLIENTS_CUT_FROM_HELPER(Place.STORE),
        HELPER_CUT_FROM_COORDINATOR(Place.STORE),
        COORDINATOR_KILLED(Place.COORDINATOR),
        COORDINATOR_PAUSED(Place.COORDINATOR),
        CLIENTS_CUT_FROM_COORDINATOR(Place.COORDINATOR),
        HELPERS_CUT(Place.BETWEEN_HELPERS),
        COPY_DELETED(Place.COPIES),
        BIT_FLIPPED(Place.COPIES),
        COPY_TRUNCATED(Place.COPIES);

        private final Place place;

        FaultKind(Place place) {
            this.place = place;
        }

        /** Whether it is drawn; losses come by the clock. */
        boolean isDrawn(boolean canCut) {
            return this != STORE_LOST && (canCut || !isCut());
        }

        boolean isCut() {
            return name().contains("CUT");
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One that was drawn. */
    private record Fault(FaultKind kind, String one, String other, Cut cut, long nanos, long restNanos) {
        /** What cannot be counted upon meanwhile. */
        Optional<String> outage() {
            return switch (kind.place) {
                case STORE -> Optional.of(TortureFleet.store(one));
                case COORDINATOR -> Optional.of(TortureFleet.COORDINATOR);
                default -> Optional.empty();
            };
        }

        Pair pair() {
            return new Pair(one, other);
        }

        @Override
        public String toString() {
            String what = kind.label() + " "
                    + (kind.isCut() ? pair() + " (" + cut.name().toLowerCase(Locale.ROOT) + ")" : one);
            return kind == FaultKind.STORE_LOST ? what : String.format(Locale.ROOT, "%s for %.1f s", what, nanos / 1e9);
        }
    }

    private final Run run;
    private final TortureFleet fleet;
    private final SplittableRandom random;
    private final Map<FaultKind, AtomicInteger> counts = new EnumMap<>(FaultKind.class);
    private final Set<Place> busy = ConcurrentHashMap.newKeySet();
    private final CountDownLatch stopping = new CountDownLatch(1);
    /** Nothing new is broken any more. */
    private final CountDownLatch stopped = new CountDownLatch(1);

    private final SplittableRandom lost;
    private final List<StoreLoss> losses = new CopyOnWriteArrayList<>();
    private long nextLossNanos;
    private boolean hasLost;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> new Thread(task, "torture-fault"));

    Faults(Run run) {
        this.run = run;
        this.fleet = run.fleet();
        this.random = new SplittableRandom(run.settings().seed());
        this.lost = random.split();
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
                while (!stopping.await(random.nextLong(LONGEST_GAP_NANOS), TimeUnit.NANOSECONDS)) {
                    inject(draw());
                }
                while (mayLose() && !hasLost) {
                    lose();
                    Sleeper.system().sleep(POLL_NANOS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                stopped.countDown();
            }
        });
    }

    private void inject(Fault fault) throws InterruptedException {
        if (mayLose() && run.now() >= nextLossNanos) {
            lose();
        }
        if (fault.kind().place == Place.COPIES) {
            harm(fault.kind());
        } else if (busy.add(fault.kind().place)) {
            execute(fault);
        }
    }

    /** What one store had must have room in the others. */
    private boolean mayLose() {
        return fleet.helpers().size() > TortureSettings.REPLICAS;
    }

    /** Unless another store is out of reach. */
    private void lose() {
        if (busy.add(Place.STORE)) {
            hasLost = true;
            nextLossNanos = run.now() + BETWEEN_LOSSES_NANOS;
            String helper = fleet.helpers().get(lost.nextInt(fleet.helpers().size()));
            execute(new Fault(FaultKind.STORE_LOST, helper, TortureFleet.CLIENTS, Cut.NONE, 0, 0));
        }
    }

    private void execute(Fault fault) {
        try {
            threads.execute(() -> live(fault));
        } catch (RejectedExecutionException e) {
            busy.remove(fault.kind().place);
        }
    }

    private Fault draw() {
        List<FaultKind> kinds = Arrays.stream(FaultKind.values())
                .filter(kind -> kind.isDrawn(fleet.canCut()))
                .toList();
        FaultKind kind = kinds.get(random.nextInt(kinds.size()));
        List<String> helpers = fleet.helpers();
        int first = random.nextInt(helpers.size());
        int second = (first + 1 + random.nextInt(helpers.size() - 1)) % helpers.size();
        String one = kind.place == Place.COORDINATOR ? TortureFleet.COORDINATOR : helpers.get(first);
        String other = switch (kind) {
            case HELPERS_CUT -> helpers.get(second);
            case HELPER_CUT_FROM_COORDINATOR -> TortureFleet.COORDINATOR;
            default -> TortureFleet.CLIENTS;
        };
        Cut cut = random.nextBoolean() ? Cut.STALLED : Cut.RESET;
        return new Fault(
                kind,
                one,
                other,
                cut,
                random.nextLong(SHORTEST_NANOS, LONGEST_NANOS),
                random.nextLong(kind.place.longestRestNanos + 1));
    }

    private void harm(FaultKind kind) throws InterruptedException {
        if (run.outages().lasts(TortureFleet.COORDINATOR)) {
            return;
        }
        Replicas.Harm harm = switch (kind) {
            case COPY_DELETED -> Replicas.Harm.DELETE;
            case COPY_TRUNCATED -> Replicas.Harm.TRUNCATE;
            default -> Replicas.Harm.FLIP_BIT;
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
            boolean unused = stopping.await(fault.restNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            busy.remove(fault.kind().place);
        }
    }

    private void breakAndMend(Fault fault) throws InterruptedException {
        Optional<String> outage = fault.outage();
        outage.ifPresent(what -> run.outages().begin(what, run.now()));
        run.journal().say(fault.toString());
        count(fault.kind());
        try {
            if (fault.kind() == FaultKind.STORE_LOST) {
                awaitCopied(fault);
            } else {
                begin(fault);
                boolean unused = stopping.await(fault.nanos(), TimeUnit.NANOSECONDS);
            }
            end(fault);
            if (outage.isPresent()) {
                awaitBack(fault, outage.get());
            }
        } catch (IOException | RuntimeException e) {
            run.journal()
                    .found(new Finding(
                            Kind.UNEXPLAINED, fault.one(), fault + ": it was not to be mended: " + e, List.of()));
        } finally {
            outage.ifPresent(what -> run.outages().end(what, run.now()));
        }
    }

    private void begin(Fault fault) throws IOException {
        switch (fault.kind()) {
            case HELPER_KILLED, COORDINATOR_KILLED -> fleet.process(fault.one()).kill();
            case HELPER_PAUSED, COORDINATOR_PAUSED -> fleet.process(fault.one()).pause();
            case DISK_FULL -> fleet.restart(fault.one(), true);
            default -> fleet.cut(fault.pair(), fault.cut());
        }
    }

    private void end(Fault fault) throws IOException {
        switch (fault.kind()) {
            case HELPER_KILLED, STORE_LOST, COORDINATOR_KILLED -> fleet.restart(fault.one());
            case HELPER_PAUSED, COORDINATOR_PAUSED -> fleet.process(fault.one()).resume();
            case DISK_FULL -> fleet.restart(fault.one(), false);
            default -> fleet.cut(fault.pair(), Cut.NONE);
        }
    }

    /** Takes a store away and waits until the others have what it had. */
    private void awaitCopied(Fault loss) throws InterruptedException, IOException {
        String store = TortureFleet.store(loss.one());
        fleet.process(loss.one()).kill();
        long since = run.now();
        long copies = fleet.wipe(store);
        if (!new Replication(Optional.of(new StoreId(store))).await(run, REPLICATION)) {
            run.journal()
                    .found(new Finding(
                            Kind.UNEXPLAINED,
                            store,
                            "its " + copies + " copies are not all in other stores after " + REPLICATION.toSeconds()
                                    + " s",
                            List.of()));
            return;
        }
        StoreLoss made = new StoreLoss(store, copies, (run.now() - since) / 1e9);
        losses.add(made);
        run.journal().say(made.toString());
    }

    /** Until the coordinator answers, and counts upon what was gone; upon all stores that are not gone for another reason. */
    private void awaitBack(Fault fault, String outage) throws InterruptedException {
        long since = run.now();
        while (!isBack(outage)) {
            if (run.now() - since > RECOVERY_NANOS) {
                run.journal()
                        .found(new Finding(
                                Kind.UNEXPLAINED,
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
        return outage.equals(TortureFleet.COORDINATOR)
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
