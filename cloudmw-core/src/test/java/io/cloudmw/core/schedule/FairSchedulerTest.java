package io.cloudmw.core.schedule;

import static io.cloudmw.core.schedule.FairScheduler.QUANTUM_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Priority;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FairSchedulerTest {
    private static final long KIB = 1024;
    private static final long MIB = 1L << 20;
    private static final long SECOND = 1_000_000_000L;
    private static final long LONGEST = 16 * MIB;

    static LongStream seeds() {
        return LongStream.range(0, 50);
    }

    private static FairScheduler<String> unbounded() {
        return new FairScheduler<>(ScheduleLimits.uncapped(1_000_000, 1_000_000));
    }

    /** All clients of a volume together get so much. */
    private static FairScheduler<String> sharing(long bytesPerSecond) {
        return new FairScheduler<>(
                new ScheduleLimits(1000, 1000, OptionalLong.empty(), OptionalLong.of(bytesPerSecond)));
    }

    private static Tenant batch(String client) {
        return new Tenant(client, "any", Priority.BATCH);
    }

    private static ScheduledWork<String> submit(FairScheduler<String> scheduler, Tenant tenant, String work, long bytes)
            throws CloudMwException {
        return scheduler.submit(tenant, work, bytes, OptionalLong.empty(), 0);
    }

    private static List<String> drain(FairScheduler<String> scheduler) {
        List<String> order = new ArrayList<>();
        for (Optional<ScheduledWork<String>> turn = scheduler.next(0); turn.isPresent(); turn = scheduler.next(0)) {
            order.add(turn.get().work());
        }
        return order;
    }

    @Test
    void clientsThatComeAnewAllTheTimeLeaveTheOthersTheirTurns() throws CloudMwException {
        FairScheduler<String> scheduler = unbounded();
        for (int i = 0; i < 100; i++) {
            submit(scheduler, batch("patient"), "patient", MIB);
        }
        assertThat(scheduler.next(0).orElseThrow().work()).isEqualTo("patient");
        submit(scheduler, batch("new-0"), "new", MIB);
        int patient = 0;
        for (int i = 1; i <= 1000; i++) {
            submit(scheduler, batch("new-" + i), "new", MIB);
            patient += scheduler.next(0).orElseThrow().work().equals("patient") ? 1 : 0;
        }
        assertThat(patient).isBetween(10, 20);
    }

    /**
     * Upkeep whose copies fail at once does not wait for twenty times as many bytes of others before it may move its
     * own.
     */
    @Test
    void unmovedBytesDoNotCountForTheFloorOfTheirClass() throws CloudMwException {
        FairScheduler<String> scheduler = unbounded();
        for (int i = 0; i < 100; i++) {
            submit(scheduler, batch("reader"), "read", MIB);
            submit(scheduler, new Tenant("upkeep", "any", Priority.REPAIR), "copy", MIB);
        }
        ScheduledWork<String> turn = scheduler.next(0).orElseThrow();
        while (!turn.work().equals("copy")) {
            scheduler.settle(turn, MIB, 0);
            turn = scheduler.next(0).orElseThrow();
        }
        scheduler.settle(turn, 0, 0);
        ScheduledWork<String> first = scheduler.next(0).orElseThrow();
        ScheduledWork<String> second = scheduler.next(0).orElseThrow();
        assertThat(List.of(first.work(), second.work())).contains("copy");
        scheduler.settle(first, MIB, 0);
        scheduler.settle(second, MIB, 0);
        int reads = 0;
        while (scheduler.next(0).orElseThrow().work().equals("read")) {
            reads++;
        }
        assertThat(reads).isGreaterThan(10);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void clientsThatAllHaveWorkGetTheSame_withinAQuantumAndOnePiece(long seed) throws CloudMwException {
        SplittableRandom random = new SplittableRandom(seed);
        FairScheduler<String> scheduler = unbounded();
        int clients = 2 + random.nextInt(8);
        Map<String, Integer> waiting = new HashMap<>();
        for (int c = 0; c < clients; c++) {
            int streams = 1 + random.nextInt(64);
            waiting.put("c" + c, streams);
            for (int i = 0; i < streams; i++) {
                submit(scheduler, batch("c" + c), "", 1 + random.nextLong(LONGEST));
            }
        }

        Map<String, Long> served = new HashMap<>();
        waiting.keySet().forEach(client -> served.put(client, 0L));
        for (int i = 0; i < 2000; i++) {
            ScheduledWork<String> turn = scheduler.next(0).orElseThrow();
            String client = turn.tenant().client();
            served.merge(client, turn.costBytes(), Long::sum);
            submit(scheduler, batch(client), "", 1 + random.nextLong(LONGEST)); // each stream submits again at once

            long most =
                    served.values().stream().mapToLong(Long::longValue).max().orElseThrow();
            long least =
                    served.values().stream().mapToLong(Long::longValue).min().orElseThrow();
            assertThat(most - least).as("seed %s, turn %s", seed, i).isLessThanOrEqualTo(QUANTUM_BYTES + LONGEST);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void waitingWorkIsServedOnceAndInBoundedTime(long seed) throws CloudMwException {
        SplittableRandom random = new SplittableRandom(seed);
        FairScheduler<String> scheduler = unbounded();
        Map<String, ScheduledWork<String>> waiting = new HashMap<>();
        int served = 0;
        int withdrawn = 0;
        for (int i = 0; i < 3000; i++) {
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    Tenant tenant = new Tenant(
                            "c" + random.nextInt(20),
                            "v" + random.nextInt(3),
                            List.of(Priority.values()).get(random.nextInt(4)));
                    OptionalLong deadline =
                            random.nextBoolean() ? OptionalLong.of(random.nextLong(SECOND)) : OptionalLong.empty();
                    String name = "w" + i;
                    waiting.put(name, scheduler.submit(tenant, name, 1 + random.nextLong(LONGEST), deadline, i));
                }
                case 2 -> {
                    if (!waiting.isEmpty()) {
                        ScheduledWork<String> any = waiting.values().iterator().next();
                        assertThat(scheduler.withdraw(any)).isTrue();
                        assertThat(scheduler.withdraw(any)).isFalse();
                        waiting.remove(any.work());
                        withdrawn++;
                    }
                }
                default -> {
                    Optional<ScheduledWork<String>> turn = scheduler.next(i);
                    // The scheduler conserves work: some item is served whenever one waits.
                    assertThat(turn.isPresent()).as("seed %s", seed).isEqualTo(!waiting.isEmpty());
                    if (turn.isPresent()) {
                        assertThat(waiting.remove(turn.get().work())).isSameAs(turn.get());
                        assertThat(scheduler.withdraw(turn.get())).isFalse();
                        scheduler.settle(turn.get(), random.nextLong(turn.get().costBytes()), i);
                        served++;
                    }
                }
            }
            assertThat(scheduler.queued()).isEqualTo(waiting.size());
        }
        assertThat(drain(scheduler)).containsExactlyInAnyOrderElementsOf(waiting.keySet());
        assertThat(served).isPositive();
        assertThat(withdrawn).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Priority.class)
    void classesHaveTheirFloor_howeverMuchTheOthersWant(Priority watched) throws CloudMwException {
        SplittableRandom random = new SplittableRandom(7);
        FairScheduler<String> scheduler = unbounded();
        for (Priority priority : Priority.values()) {
            for (int i = 0; i < 8; i++) {
                submit(scheduler, new Tenant("c" + i, "v", priority), "", 1 + random.nextLong(LONGEST));
            }
        }

        long all = 0;
        long own = 0;
        for (int i = 0; i < 5000; i++) {
            ScheduledWork<String> turn = scheduler.next(0).orElseThrow();
            all += turn.costBytes();
            own += turn.tenant().priority() == watched ? turn.costBytes() : 0;
            submit(scheduler, turn.tenant(), "", 1 + random.nextLong(LONGEST));
            assertThat((double) own)
                    .as("%s after %s turns", watched, i)
                    .isGreaterThanOrEqualTo(
                            FairScheduler.floor(watched) * all - QUANTUM_BYTES - Priority.values().length * LONGEST);
        }
        // The floors are the only share of the others while the most urgent class wants everything.
        assertThat((double) own / all)
                .isCloseTo(FairScheduler.floor(watched), org.assertj.core.data.Offset.offset(0.01));
    }

    @Test
    void theFloorsLeaveNothingUndecided() {
        double sum = 0;
        for (Priority priority : Priority.values()) {
            assertThat(FairScheduler.floor(priority)).isPositive();
            sum += FairScheduler.floor(priority);
        }
        assertThat(sum).isCloseTo(1, org.assertj.core.data.Offset.offset(1e-9));
    }

    @Test
    void urgentClassesComeFirst() throws CloudMwException {
        FairScheduler<String> scheduler = unbounded();
        for (Priority priority : List.of(Priority.REPAIR, Priority.PREFETCH, Priority.BATCH, Priority.INTERACTIVE)) {
            submit(scheduler, new Tenant("c", "v", priority), priority.label(), KIB);
        }

        assertThat(drain(scheduler)).containsExactly("interactive", "batch", "prefetch", "repair");
    }

    @Test
    void aClassThatWasAloneOwesNothingAfterwards() throws CloudMwException {
        FairScheduler<String> scheduler = unbounded();
        Tenant repair = new Tenant("c", "v", Priority.REPAIR);
        for (int i = 0; i < 100; i++) {
            submit(scheduler, repair, "", LONGEST);
            assertThat(scheduler.next(0)).isPresent();
        }
        submit(scheduler, repair, "repair", MIB);
        long before = 0;
        String work = "";
        while (work.isEmpty()) {
            submit(scheduler, new Tenant("d", "v", Priority.INTERACTIVE), "", MIB);
            ScheduledWork<String> turn = scheduler.next(0).orElseThrow();
            work = turn.work();
            before += turn.costBytes();
        }

        assertThat(work).isEqualTo("repair");
        assertThat(before).isLessThanOrEqualTo((long) (2 * MIB / FairScheduler.floor(Priority.REPAIR)));
    }

    @Test
    void aSmallClientDoesNotWaitForOthersBacklog() throws CloudMwException {
        FairScheduler<String> scheduler = unbounded();
        for (int i = 0; i < 64; i++) {
            submit(scheduler, batch("greedy"), "greedy", LONGEST);
        }
        assertThat(scheduler.next(0)).isPresent();

        submit(scheduler, batch("small"), "small", 4 * KIB);

        assertThat(scheduler.next(0)).get().extracting(ScheduledWork::work).isEqualTo("small");
    }

    @Test
    void aGreedyClientThatLeftDoesNotComeBackAsNew() throws CloudMwException {
        FairScheduler<String> scheduler = unbounded();
        Deque<String> order = new ArrayDeque<>();
        for (int i = 0; i < 64; i++) {
            submit(scheduler, batch("steady"), "steady", MIB);
        }
        submit(scheduler, batch("burst"), "burst", 16 * MIB);
        for (int i = 0; i < 40; i++) {
            ScheduledWork<String> turn = scheduler.next(0).orElseThrow();
            order.add(turn.work());
            if (turn.work().equals("burst")) {
                submit(scheduler, batch("burst"), "burst", 16 * MIB);
            }
        }

        // 16 MiB of the one, then 16 times 1 MiB of the other, at least.
        assertThat(order.stream().filter("burst"::equals)).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void workOfAClientIsOrderedByDeadline_thenByArrival() throws CloudMwException {
        FairScheduler<String> scheduler = unbounded();
        scheduler.submit(batch("c"), "none", KIB, OptionalLong.empty(), 0);
        scheduler.submit(batch("c"), "late", KIB, OptionalLong.of(30), 0);
        scheduler.submit(new Tenant("c", "other", Priority.BATCH), "soon", KIB, OptionalLong.of(10), 0);
        scheduler.submit(batch("c"), "late, too", KIB, OptionalLong.of(30), 0);

        assertThat(drain(scheduler)).containsExactly("soon", "late", "late, too", "none");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void capsHold_andHoldBackNobodyElse(long seed) throws CloudMwException {
        SplittableRandom random = new SplittableRandom(seed);
        long perClient = 50 * MIB;
        long perVolume = 80 * MIB;
        FairScheduler<String> scheduler = new FairScheduler<>(
                new ScheduleLimits(1000, 1000, OptionalLong.of(perClient), OptionalLong.of(perVolume)));
        for (int i = 0; i < 40; i++) {
            submitAny(scheduler, random, "c" + i % 4, "v" + i % 3, 0);
        }

        Map<String, Long> served = new HashMap<>();
        long now = 0;
        long idleNanos = 0;
        while (now < 20 * SECOND) {
            Optional<ScheduledWork<String>> turn = scheduler.next(now);
            if (turn.isEmpty()) {
                long at = scheduler.admitsAtNanos().orElseThrow();
                assertThat(at).as("seed %s", seed).isGreaterThan(now);
                idleNanos += at - now;
                now = at;
                continue;
            }
            Tenant tenant = turn.get().tenant();
            served.merge(tenant.client(), turn.get().costBytes(), Long::sum);
            served.merge(tenant.volume(), turn.get().costBytes(), Long::sum);
            submitAny(scheduler, random, tenant.client(), tenant.volume(), now);
            assertThat((double) served.getOrDefault(tenant.client(), 0L)).isLessThanOrEqualTo(allowed(perClient, now));
            assertThat((double) served.getOrDefault(tenant.volume(), 0L)).isLessThanOrEqualTo(allowed(perVolume, now));
            now += random.nextInt(1000);
        }

        // Four clients of 50 MiB/s, three volumes of 80: the smaller cap counts, and it is used.
        double used = served.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("c"))
                .mapToLong(Map.Entry::getValue)
                .sum();
        assertThat(idleNanos).isPositive();
        assertThat(used / (now / (double) SECOND)).isGreaterThan(0.95 * 4 * perClient);
    }

    /** The burst, the earned bytes, and the item that may overdraw. */
    private static double allowed(long bytesPerSecond, long nowNanos) {
        return bytesPerSecond + bytesPerSecond * (nowNanos / (double) SECOND) + LONGEST;
    }

    private static void submitAny(
            FairScheduler<String> scheduler, SplittableRandom random, String client, String volume, long now)
            throws CloudMwException {
        scheduler.submit(
                new Tenant(client, volume, Priority.BATCH),
                "",
                1 + random.nextLong(LONGEST),
                OptionalLong.empty(),
                now);
    }

    @Test
    void aVolumeAtItsCapHoldsUpNoOtherVolumeOfTheSameClient() throws CloudMwException {
        FairScheduler<String> scheduler =
                new FairScheduler<>(new ScheduleLimits(10, 10, OptionalLong.empty(), OptionalLong.of(MIB)));
        submit(scheduler, new Tenant("c", "busy", Priority.BATCH), "1", 2 * MIB);
        submit(scheduler, new Tenant("c", "busy", Priority.BATCH), "2", MIB);
        assertThat(drain(scheduler)).containsExactly("1");

        submit(scheduler, new Tenant("c", "idle", Priority.BATCH), "3", MIB);

        assertThat(drain(scheduler)).containsExactly("3");
        assertThat(scheduler.admitsAtNanos()).isPresent();
        assertThat(scheduler.next(2 * SECOND))
                .get()
                .extracting(ScheduledWork::work)
                .isEqualTo("2");
    }

    @Test
    void unusedBytesReturnToTheChargedClient() throws CloudMwException {
        FairScheduler<String> scheduler =
                new FairScheduler<>(new ScheduleLimits(10, 10, OptionalLong.of(MIB), OptionalLong.empty()));
        submit(scheduler, batch("c"), "1", 4 * MIB);
        ScheduledWork<String> first = scheduler.next(0).orElseThrow();
        submit(scheduler, batch("c"), "2", MIB);
        assertThat(scheduler.next(0)).isEmpty();

        scheduler.settle(first, 0, 0);

        assertThat(scheduler.next(0)).get().extracting(ScheduledWork::work).isEqualTo("2");
        assertThatThrownBy(() -> scheduler.settle(first, 0, 0)).isInstanceOf(IllegalStateException.class);
    }

    /** A GiB would have held the reader up for 19.5 s; it belongs to another client, and to another class. */
    @Test
    void returnedBytesLetThroughWaitersOfTheSameVolumeAtOnce() throws CloudMwException {
        FairScheduler<String> scheduler = sharing(50 * MIB);
        submit(scheduler, new Tenant("upkeep", "any", Priority.REPAIR), "copy", 1024 * MIB);
        ScheduledWork<String> copy = scheduler.next(0).orElseThrow();
        submit(scheduler, batch("reader"), "read", MIB);
        assertThat(scheduler.next(0)).isEmpty();
        long failed = SECOND / 100;

        scheduler.settle(copy, 0, failed);

        assertThat(scheduler.next(failed)).get().extracting(ScheduledWork::work).isEqualTo("read");
    }

    @Test
    void partlyReturnedBytesShortenTheWait() throws CloudMwException {
        FairScheduler<String> scheduler = sharing(MIB);
        submit(scheduler, batch("copier"), "copy", 1024 * MIB);
        ScheduledWork<String> copy = scheduler.next(0).orElseThrow();
        submit(scheduler, batch("reader"), "read", MIB);
        assertThat(scheduler.next(0)).isEmpty();

        scheduler.settle(copy, 3 * MIB, 0);

        assertThat(scheduler.next(0)).isEmpty();
        assertThat(scheduler.admitsAtNanos().orElseThrow()).isBetween(2 * SECOND, 2 * SECOND + 10);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void clientsThatWaitForTheSameCapGetTheSame_withinAQuantumAndOnePiece(long seed) throws CloudMwException {
        SplittableRandom random = new SplittableRandom(seed);
        FairScheduler<String> scheduler = sharing(MIB);
        Map<String, Long> served = new HashMap<>();
        int clients = 2 + random.nextInt(8);
        for (int c = 0; c < clients; c++) {
            served.put("c" + c, 0L);
            long piece = 1 + random.nextLong(random.nextBoolean() ? LONGEST : MIB / 4);
            int streams = 1 + random.nextInt(8);
            for (int i = 0; i < streams; i++) {
                submit(scheduler, batch("c" + c), "", piece);
            }
        }
        long now = 0;
        for (int i = 0; i < 1000; i++) {
            Optional<ScheduledWork<String>> turn = scheduler.next(now);
            if (turn.isEmpty()) {
                now = scheduler.admitsAtNanos().orElseThrow();
                continue;
            }
            Tenant tenant = turn.get().tenant();
            served.merge(tenant.client(), turn.get().costBytes(), Long::sum);
            now += random.nextInt(1000);
            scheduler.submit(tenant, "", turn.get().costBytes(), OptionalLong.empty(), now);
            assertThat(apart(served)).as("seed %s, turn %s", seed, i).isLessThanOrEqualTo(QUANTUM_BYTES + LONGEST);
        }
    }

    /** The client asks for its next 4 MiB later; its debt is kept although the other may not begin, either. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void aDebtIsKeptWhileTheOthersWaitForTheirCap(int turnsLater) throws CloudMwException {
        FairScheduler<String> scheduler = sharing(MIB);
        Map<String, Long> served = new HashMap<>(Map.of("long", 0L, "short", 0L));
        submit(scheduler, batch("long"), "long", 4 * MIB);
        for (int i = 0; i < 100; i++) {
            submit(scheduler, batch("short"), "short", MIB / 4);
        }
        int since = 0;
        long now = 0;
        while (scheduler.queued() > 1) {
            Optional<ScheduledWork<String>> turn = scheduler.next(now);
            if (turn.isPresent()) {
                served.merge(turn.get().work(), turn.get().costBytes(), Long::sum);
                since = turn.get().work().equals("long") ? 0 : since + 1;
                assertThat(served.getOrDefault("long", 0L) - served.getOrDefault("short", 0L))
                        .isLessThanOrEqualTo(QUANTUM_BYTES + 4 * MIB);
                continue;
            }
            if (since == turnsLater) {
                submit(scheduler, batch("long"), "long", 4 * MIB);
            }
            now = scheduler.admitsAtNanos().orElseThrow();
        }
        assertThat(served.getOrDefault("long", 0L)).isGreaterThan(16 * MIB);
    }

    private static long apart(Map<String, Long> served) {
        LongSummaryStatistics bytes =
                served.values().stream().mapToLong(Long::longValue).summaryStatistics();
        return bytes.getMax() - bytes.getMin();
    }

    @Test
    void clientAtItsLimitIsRefusedAndOthersAreServed() throws CloudMwException {
        FairScheduler<String> scheduler = new FairScheduler<>(ScheduleLimits.uncapped(5, 3));
        for (int i = 0; i < 3; i++) {
            submit(scheduler, batch("greedy"), "greedy", MIB);
        }

        assertRefused(() -> submit(scheduler, new Tenant("greedy", "v", Priority.INTERACTIVE), "", MIB), "greedy");
        submit(scheduler, batch("small"), "small", MIB);
        submit(scheduler, batch("small"), "small", MIB);
        assertRefused(() -> submit(scheduler, batch("third"), "", MIB), "all clients: 5");

        assertThat(scheduler.next(0)).isPresent();
        submit(scheduler, batch("third"), "", MIB);
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(CloudMwException.class, refusal -> {
                    assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED);
                    assertThat(refusal.retryAfter()).isPresent();
                })
                .hasMessageContaining(message);
    }

    @Test
    void retryAfterIsTheTimeInWhichHalfOfTheBacklogIsServed() throws CloudMwException {
        FairScheduler<String> scheduler = new FairScheduler<>(ScheduleLimits.uncapped(100, 40));
        long now = 0;
        for (int i = 0; i < 40; i++) {
            submit(scheduler, batch("greedy"), "", 5 * MIB);
        }
        for (int i = 0; i < 30; i++) {
            assertThat(scheduler.next(now)).isPresent();
            submit(scheduler, batch("greedy"), "", 5 * MIB);
            now += SECOND / 20; // 100 MiB in a second
        }

        assertThat(retryAfter(scheduler, "greedy")).isBetween(Duration.ofMillis(950), Duration.ofMillis(1050));

        // Each of two clients is served half as fast.
        submit(scheduler, batch("small"), "", MIB);
        assertThat(retryAfter(scheduler, "greedy")).isBetween(Duration.ofMillis(1900), Duration.ofMillis(2100));
    }

    private static Duration retryAfter(FairScheduler<String> scheduler, String client) {
        try {
            submit(scheduler, batch(client), "", MIB);
        } catch (CloudMwException e) {
            return e.retryAfter().orElseThrow();
        }
        throw new AssertionError("not refused");
    }

    @Test
    void nothingIsKeptOfClientsThatAreDone() throws CloudMwException {
        RateCaps caps = new RateCaps(OptionalLong.of(MIB));
        ClassQueue<String> queue = new ClassQueue<>(QUANTUM_BYTES, caps, new RateCaps(OptionalLong.empty()));
        for (int i = 0; i < 1000; i++) {
            queue.add(new ScheduledWork<>(batch("c" + i), "", 8 * MIB, Long.MAX_VALUE, i, 0));
            assertThat(queue.take(i * SECOND)).isNotNull();
            caps.take("c" + i, 8 * MIB, i * SECOND);
        }
        assertThat(queue.take(1000 * SECOND)).isNull();

        assertThat(queue.clients()).isZero();
        // A debt of 8 s is remembered for 8 s.
        assertThat(caps.buckets()).isLessThanOrEqualTo(10);
    }

    @Test
    void debtorsAreBoundedWhileAClientWaitsForACap() {
        RateCaps caps = new RateCaps(OptionalLong.of(MIB));
        caps.take("held", 1024 * MIB, 0);
        ClassQueue<String> queue = new ClassQueue<>(QUANTUM_BYTES, caps, new RateCaps(OptionalLong.empty()));
        queue.add(new ScheduledWork<>(batch("held"), "", MIB, Long.MAX_VALUE, 0, 0));
        for (int i = 1; i <= 2 * ClassQueue.MOST_IDLE; i++) {
            queue.add(new ScheduledWork<>(batch("c" + i), "", 8 * MIB, Long.MAX_VALUE, i, 0));
            assertThat(queue.take(0)).isNotNull();
            assertThat(queue.take(0)).isNull();
            assertThat(queue.clients()).isLessThanOrEqualTo(ClassQueue.MOST_IDLE + 1);
        }

        assertThat(queue.take(1024 * SECOND)).isNotNull();
        assertThat(queue.take(1024 * SECOND)).isNull();
        assertThat(queue.clients()).isZero();
    }

    @Test
    void debtorsAreBounded() {
        RateCaps caps = new RateCaps(OptionalLong.of(1));
        for (int i = 0; i < RateCaps.MAX_BUCKETS + 100; i++) {
            caps.take("c" + i, MIB, 0);
        }

        assertThat(caps.buckets()).isEqualTo(RateCaps.MAX_BUCKETS);
    }

    @Test
    void wrongLimitsAreRefused() {
        assertThatThrownBy(() -> ScheduleLimits.uncapped(0, 1)).hasMessageContaining("queue: 0");
        assertThatThrownBy(() -> ScheduleLimits.uncapped(1, 0)).hasMessageContaining("clientQueue: 0");
        assertThatThrownBy(() -> new ScheduleLimits(1, 1, OptionalLong.of(0), OptionalLong.empty()))
                .hasMessageContaining("clientBytesPerSecond: 0");
        assertThatThrownBy(() -> new ScheduleLimits(1, 1, OptionalLong.empty(), OptionalLong.of(0)))
                .hasMessageContaining("volumeBytesPerSecond: 0");
        assertThatThrownBy(() -> submit(unbounded(), batch("c"), "", 0)).hasMessageContaining("costBytes: 0");
    }

    @Test
    void theLengthOfEachQueueIsKnown() throws CloudMwException {
        FairScheduler<String> scheduler = unbounded();
        Map<Priority, Integer> expected = new EnumMap<>(Priority.class);
        int count = 0;
        for (Priority priority : Priority.values()) {
            count++;
            expected.put(priority, count);
            for (int i = 0; i < count; i++) {
                submit(scheduler, new Tenant("c", "v", priority), "", MIB);
            }
        }

        expected.forEach(
                (priority, length) -> assertThat(scheduler.queued(priority)).isEqualTo(length));
        assertThat(scheduler.queued()).isEqualTo(10);
    }
}
