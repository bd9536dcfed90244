package io.cloudmw.coordinator.check;

import io.cloudmw.coordinator.Administration;
import io.cloudmw.coordinator.check.rpc.HelperProbes;
import io.cloudmw.coordinator.fleet.HelperStatus;
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
 * Checks whether stores can be used, from this coordinator and from one helper at the same time, within
 * {@value #MOST_SECONDS} seconds. A helper that cannot be asked is left out, and another asked.
 */
public final class StoreChecks {
    /** The longest time of a check. */
    public static final int MOST_SECONDS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(StoreChecks.class);
    private static final Duration OWN = Duration.ofSeconds(4);
    private static final Duration FIRST_HELPER = Duration.ofMillis(4300);
    private static final long MOST_NANOS = Duration.ofMillis(4600).toNanos();
    private static final int MOST_HELPERS = 3;

    /** A client that hears nothing for longer takes its coordinator for gone: then checks that wait for threads are given up. */
    private static final long ALL_NANOS = Duration.ofSeconds(10).toNanos();

    private final Administration administration;
    private final BucketProbe own;
    private final HelperProbes helpers;
    private final ExecutorService workers;

    /** @param workers run requests to stores; stay the caller's to close */
    public StoreChecks(Administration administration, BucketProbe own, HelperProbes helpers, ExecutorService workers) {
        this.administration = administration;
        this.own = own;
        this.helpers = helpers;
        this.workers = workers;
    }

    /** The findings of processes that were asked: {@code coordinator}, and {@code helper ID}. */
    private record Started(Store store, Future<ProbeReport> here, Future<Map<String, ProbeReport>> there) {
        void cancel() {
            here.cancel(true);
            there.cancel(true);
        }
    }

    /**
     * Proves one store, which need not be known yet.
     *
     * @return by process; the coordinator alone where no helper is alive, or none answered
     * @throws CloudMwException {@code STORE_DENIED}, {@code NOT_FOUND} (no such bucket) or {@code STORE_UNAVAILABLE}: what is
     *     wrong, seen from where, and what to do
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
     * Checks buckets that are known, all at the same time.
     *
     * @param ids at most {@link AccessWire#MAX_CHECKED}; empty: all buckets, which must not be more either
     * @return by store, then by process
     * @throws CloudMwException {@code NOT_FOUND} when there is no such store, or it is a disk; {@code INVALID_ARGUMENT} when
     *     there are too many; {@code OVERLOADED} when others' checks leave no time for these
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
            // Nothing where all are done; otherwise nobody waits for the rest any more.
            started.forEach(Started::cancel);
        }
    }

    private List<Store> chosen(Set<StoreId> ids) throws CloudMwException {
        List<Store> buckets = administration.buckets();
        Set<StoreId> known = buckets.stream().map(Store::id).collect(Collectors.toSet());
        for (StoreId id : ids) {
            if (!known.contains(id)) {
                throw new CloudMwException(ErrorCode.NOT_FOUND, "no bucket " + id + " (disks are not checked)");
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
                            + TimeUnit.NANOSECONDS.toSeconds(ALL_NANOS) + " s: others have stores checked (try later)",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted while a store was checked", e);
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

    /** Empty: no helper is alive, or none can be asked. */
    private Map<String, ProbeReport> fromHelper(Store store) {
        List<HelperAddress> live = new ArrayList<>(administration.helpers().stream()
                .filter(HelperStatus::alive)
                .map(HelperStatus::address)
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
                LOG.info("check of store={}: {} was not asked: {}", store.id(), helper.id(), e.getMessage());
            }
        }
        return Map.of();
    }
}
