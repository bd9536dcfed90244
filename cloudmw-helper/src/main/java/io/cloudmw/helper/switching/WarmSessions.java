package io.cloudmw.helper.switching;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.placement.ReadPlanner;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.helper.fetch.Requester;
import java.util.List;
import java.util.concurrent.Semaphore;

/** The warm-ups of this switch: clients have it cache files before they are read. Safe for any thread; never blocks. */
public final class WarmSessions {
    /** The one client that all warm-ups in plain text are to the I/O scheduler, in its class for prefetches. */
    private static final String CLIENT = "warming";

    /** Enough for slow stores; more would only hold memory. */
    private static final int MAX_WINDOW = 8;

    /**
     * The version of a file that a client wants cached.
     *
     * @param claims the claims of the token
     * @param helpers switches that are asked before stores, then the owners of disks
     * @param tree number of helpers, from the first, that are members of the blocks' trees
     */
    public record Spec(
            TransferToken token, TransferClaims claims, List<HelperAddress> helpers, int tree, List<Store> stores) {
        private static final int MAX_NAMED = 1024;

        public Spec {
            helpers = List.copyOf(helpers);
            stores = List.copyOf(stores);
            bounded("helpers", helpers.size(), MAX_NAMED);
            bounded("stores", stores.size(), MAX_NAMED);
            bounded("tree", tree, Math.min(helpers.size(), ReadPlanner.MAX_SWITCHES));
        }

        private static void bounded(String name, int count, int most) {
            if (count < 0 || count > most) {
                throw new IllegalArgumentException(name + ": " + count + " (expected: 0.." + most + ")");
            }
        }
    }

    /** Makes the requester on whose behalf missing leaves are fetched, once the client's right was shown. */
    @FunctionalInterface
    public interface Requesters {
        Requester of(Spec spec, Tenant tenant);
    }

    private final VolumeSet switched;
    private final SharedFetcher shared;
    private final Requesters requesters;
    private final WarmSession.OwnDisk ownDisk;
    private final int limit;
    private final Semaphore room;

    /**
     * Fetches nothing yet.
     *
     * @param switched the volumes this helper is a switch for
     * @param ownDisk finds chunks on disks of this helper, which are served from there and not cached
     * @param limit sessions at once
     */
    public WarmSessions(
            VolumeSet switched, SharedFetcher shared, Requesters requesters, WarmSession.OwnDisk ownDisk, int limit) {
        this.switched = switched;
        this.shared = shared;
        this.requesters = requesters;
        this.ownDisk = ownDisk;
        this.limit = limit;
        this.room = new Semaphore(limit);
    }

    /**
     * Begins a session; {@code answers} hears at once that it is ready.
     *
     * @throws CloudMwException {@code HELPER_UNAVAILABLE} when this helper is no switch for the volume;
     *     {@code OVERLOADED} at the limit of sessions
     */
    public WarmSession begin(Spec spec, WarmSession.Answers answers) throws CloudMwException {
        if (!switched.contains(spec.claims().file().volume())) {
            throw new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE, spec.claims().file() + ": this helper is no switch for its volume");
        }
        if (!room.tryAcquire()) {
            throw CloudMwException.full(spec.claims().file() + ": this switch is being warmed with " + limit
                    + " files already; retry later");
        }
        boolean begun = false;
        try {
            Requester requester = requesters.of(spec, Tenant.of(spec.claims(), CLIENT, Priority.PREFETCH));
            WarmSession warming = new WarmSession(shared, requester, ownDisk, window(), answers, room::release);
            answers.ready(window(), shared.capacityBytes());
            begun = true;
            return warming;
        } finally {
            if (!begun) {
                room.release();
            }
        }
    }

    /** Blocks under way must fit into memory: without a disk tier a leaf that finds no room is not kept. */
    private int window() {
        return (int) Math.max(1, Math.min(MAX_WINDOW, shared.passingBytes() / ModePolicy.SWITCHED_BLOCK_BYTES));
    }
}
