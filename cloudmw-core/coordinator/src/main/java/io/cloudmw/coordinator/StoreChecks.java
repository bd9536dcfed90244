package io.cloudmw.coordinator;

import io.cloudmw.coordinator.fleet.RegisteredHelper;
import io.cloudmw.coordinator.rpc.helper.HelperProbes;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.wire.AccessWire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks of whether stores can be used, from this coordinator and one helper at once, within {@value #MOST_SECONDS}
 * seconds. If a helper does not answer, another one is asked. Safe for any thread; calls block.
 */
public final class StoreChecks {
    /** The longest time of a check. */
    public static final int MOST_SECONDS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(StoreChecks.class);
    private static final Duration OWN = Duration.ofSeconds(4);
    private static final Duration FIRST_HELPER = Duration.ofMillis(4300);
    private static final long MOST_NANOS = Duration.ofMillis(4600).toNanos();
    private static final int MOST_HELPERS = 3;

    /** The longest wait for a free thread; a client that hears nothing for longer takes its coordinator for dead. */
    private static final long ALL_NANOS = Duration.ofSeconds(10).toNanos();

    private final Administration administration;
    private final BucketProbe own;
    private final HelperProbes helpers;
    private final ExecutorService workers;

    /** @param workers run requests to stores; closed by the caller */
    public StoreChecks(Administration administration, BucketProbe own, HelperProbes helpers, ExecutorService workers) {
        this.administration = administration;
        this.own = own;
        this.helpers = helpers;
        this.workers = workers;
    }

    /** The running checks of a store: here, and at a helper. */
    private record Started(Store store, Future<ProbeReport> here, Future<Map<String, ProbeReport>> there) {
        void cancel() {
            here.cancel(true);
            there.cancel(true);
        }
    }

    /**
     * Checks one store, known or not.
     *
     * @return the findings by process; the coordinator alone when no helper answered
     * @throws CloudMwException {@code STORE_DENIED}, {@code NOT_FOUND} (no such bucket) or {@code STORE_UNAVAILABLE}:
     *     the fault, the process that saw it, and the remedy
     */
    public Map<String, ProbeReport> require(Store store) throws CloudMwException {
        Map<String, ProbeReport> checks = checked(List.of(store)).get(0);
        for (Map.Entry<String, ProbeReport> check : checks.entrySet()) {
            Optional<StoreFault> fault = check.getValue().fault();
            if (fault.isPresent()) {
                throw new CloudMwException(
                        fault.get().kind().code(),
                        "store " + store.id() + ", seen from the " + check.getKey() + ": "
                                + fault.get().reason());
            }
        }
        return checks;
    }

    /**
     * Checks known buckets, all at the same time.
     *
     * @param ids at most {@link AccessWire#MAX_CHECKED}; empty: all buckets, which must not be more either
     * @return the findings by store, then by process
     * @throws CloudMwException {@code NOT_FOUND} when there is no such store, or it is a disk; {@code INVALID_ARGUMENT}
     *     when there are too many; {@code OVERLOADED} when other checks leave no time for these
     */
    public Map<StoreId, Map<String, ProbeReport>> check(Set<StoreId> ids) throws CloudMwException {
        List<Store> chosen = chosen(ids);
        Iterator<Map<String, ProbeReport>> found = checked(chosen).iterator();
        Map<StoreId, Map<String, ProbeReport>> checks = new LinkedHashMap<>();
        chosen.forEach(bucket -> checks.put(bucket.id(), found.next()));
        return checks;
    }

    private List<Map<String, ProbeReport>> checked(List<Store> stores) throws CloudMwException {
        List<Started> started = new ArrayList<>();
        try {
            for (Store store : stores) {
                started.add(start(store));
            }
            long end = Ticker.system().nanos() + ALL_NANOS;
            List<Map<String, ProbeReport>> checks = new ArrayList<>();
            for (Started one : started) {
                checks.add(finish(one, end));
            }
            return checks;
        } finally {
            // Completed checks are not affected; the others have no caller any more.
            started.forEach(Started::cancel);
        }
    }

    private List<Store> chosen(Set<StoreId> ids) throws CloudMwException {
        List<Store> buckets = administration.buckets();
        Set<StoreId> known = buckets.stream().map(Store::id).collect(Collectors.toSet());
        for (StoreId id : ids) {
            if (!known.contains(id)) {
                throw new CloudMwException(
                        ErrorCode.NOT_FOUND,
                        "bucket " + id + " not found (cloudmw store ls lists them; disks are not checked)");
            }
        }
        List<Store> chosen = buckets.stream()
                .filter(bucket -> ids.isEmpty() || ids.contains(bucket.id()))
                .toList();
        if (chosen.size() > AccessWire.MAX_CHECKED) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "stores to check: " + chosen.size() + " (expected: <= " + AccessWire.MAX_CHECKED + " in one call)");
        }
        return chosen;
    }

    private Started start(Store store) throws CloudMwException {
        return new Started(store, run(() -> own.probe(store, OWN)), run(() -> fromHelper(store)));
    }

    private <T> Future<T> run(Callable<T> check) throws CloudMwException {
        try {
            return workers.submit(check);
        } catch (RejectedExecutionException e) {
            throw new CloudMwException(ErrorCode.OVERLOADED, "too many stores are being checked", e);
        }
    }

    private static Map<String, ProbeReport> finish(Started started, long endNanos) throws CloudMwException {
        Map<String, ProbeReport> checks = new LinkedHashMap<>();
        try {
            checks.put("coordinator", started.here().get(left(endNanos), TimeUnit.NANOSECONDS));
            checks.putAll(started.there().get(left(endNanos), TimeUnit.NANOSECONDS));
            return checks;
        } catch (TimeoutException e) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED,
                    "store " + started.store().id() + " was not checked within "
                            + TimeUnit.NANOSECONDS.toSeconds(ALL_NANOS)
                            + " s, since other checks are running (retry later)",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted during the check of a store", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CloudMwException known
                    ? known
                    : new CloudMwException(
                            ErrorCode.INTERNAL,
                            "check of store " + started.store().id(),
                            e);
        }
    }

    private static long left(long endNanos) {
        return Math.max(0, endNanos - Ticker.system().nanos());
    }

    /** Returns the finding of a helper; empty when no helper is alive, or none answered. */
    private Map<String, ProbeReport> fromHelper(Store store) {
        List<HelperAddress> live = new ArrayList<>(administration.helpers().stream()
                .filter(RegisteredHelper::alive)
                .map(RegisteredHelper::address)
                .toList());
        Collections.shuffle(live, ThreadLocalRandom.current());
        long began = Ticker.system().nanos();
        for (HelperAddress helper : live.subList(0, Math.min(MOST_HELPERS, live.size()))) {
            long left = MOST_NANOS - (Ticker.system().nanos() - began);
            Duration timeout = Duration.ofNanos(Math.min(left, FIRST_HELPER.toNanos()));
            if (timeout.toMillis() < 100) {
                break;
            }
            try {
                return Map.of("helper " + helper.id(), helpers.probe(helper, store, timeout));
            } catch (CloudMwException e) {
                LOG.info("check of store={}: helper={} did not answer: {}", store.id(), helper.id(), e.getMessage());
            }
        }
        return Map.of();
    }
}
