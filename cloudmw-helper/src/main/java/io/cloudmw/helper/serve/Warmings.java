package io.cloudmw.helper.serve;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.VolumeSet;
import io.cloudmw.core.placement.ReadPlanner;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.helper.cache.SharedFetching;
import io.cloudmw.helper.fetch.Requester;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Has fetched, for clients that say so, what this switch is to serve. Safe for any thread; never blocks. */
public final class Warmings {
    /** All of them are one client to the I/O scheduler, in its class for what nobody waits for. */
    private static final String CLIENT = "warming";

    /** Enough for stores that take their time; more would only hold memory. */
    private static final int MAX_WINDOW = 8;

    /**
     * One version of a file, as a client says it is to be kept.
     *
     * @param claims of the token
     * @param helpers those that are asked before stores, then the owners of disks
     * @param tree how many of them are members of the blocks' trees
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

    /** Says how one who was shown to have a right gets what is not here. */
    @FunctionalInterface
    public interface Requesters {
        Requester of(Spec spec, Tenant tenant);
    }

    private final VolumeSet switched;
    private final SharedFetching shared;
    private final Requesters requesters;
    private final Warming.OwnDisk ownDisk;
    private final int limit;
    private final Semaphore room;

    /**
     * Fetches nothing yet.
     *
     * @param switched the volumes this helper is a switch for
     * @param ownDisk what lies on a disk of this helper is served from there, and not kept besides
     * @param limit warmings at once
     */
    public Warmings(
            VolumeSet switched, SharedFetching shared, Requesters requesters, Warming.OwnDisk ownDisk, int limit) {
        this.switched = switched;
        this.shared = shared;
        this.requesters = requesters;
        this.ownDisk = ownDisk;
        this.limit = limit;
        this.room = new Semaphore(limit);
    }

    /**
     * Begins; {@code answers} hears that at once.
     *
     * @throws CloudMwException {@code HELPER_UNAVAILABLE} when this helper is no switch for the volume; {@code OVERLOADED} when it
     *     has as many warmings as it takes
     */
    public Warming begin(Spec spec, Warming.Answers answers) throws CloudMwException {
        if (!switched.contains(spec.claims().file().volume())) {
            throw new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE, spec.claims().file() + ": this helper is no switch for its volume");
        }
        if (!room.tryAcquire()) {
            throw CloudMwException.full(
                    spec.claims().file() + ": this switch is being warmed with " + limit + " files already");
        }
        boolean begun = false;
        try {
            String volume = spec.claims().file().volume().value();
            Requester requester = requesters.of(spec, new Tenant(CLIENT, volume, Priority.PREFETCH));
            Warming warming = new Warming(shared, requester, ownDisk, window(), answers, room::release);
            answers.ready(window(), shared.capacityBytes());
            begun = true;
            return warming;
        } finally {
            if (!begun) {
                room.release();
            }
        }
    }

    /** What is under way is to find room in memory: where there is no disk it would not be kept otherwise. */
    private int window() {
        return (int) Math.max(1, Math.min(MAX_WINDOW, shared.passingBytes() / ModePolicy.SWITCHED_BLOCK_BYTES));
    }
}
