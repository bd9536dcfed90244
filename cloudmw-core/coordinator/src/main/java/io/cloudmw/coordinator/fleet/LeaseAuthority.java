package io.cloudmw.coordinator.fleet;

import io.cloudmw.coordinator.catalog.FleetReports;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.HelperRegistration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The authority that grants, renews and ends the leases of helpers. A single coordinator decides by its own memory
 * ({@link HelperRegistry}); coordinators of one catalog decide by compare-and-set there. A heartbeat needs no call of
 * the catalog, except the first after a helper came from another coordinator: its registration is looked up, and its
 * lease continues. Safe for any thread; calls block on the catalog.
 */
public final class LeaseAuthority {
    private final HelperRegistry helpers;
    private final Optional<FleetReports> shared;

    /** @param shared empty: this coordinator is alone */
    public LeaseAuthority(HelperRegistry helpers, Optional<FleetReports> shared) {
        this.helpers = helpers;
        this.shared = shared;
    }

    /** Refuses a process while another one may have its id: see {@link HelperRegistry#requireFree}. */
    public void requireFree(HelperId id, long incarnation) throws CloudMwException {
        if (shared.isEmpty()) {
            helpers.requireFree(id, incarnation);
        } else {
            requireFree(id, incarnation, shared.get().registration(id));
        }
    }

    private void requireFree(HelperId id, long incarnation, Optional<HelperRegistration> noted)
            throws CloudMwException {
        if (noted.isPresent() && !noted.get().left() && noted.get().incarnation() != incarnation) {
            helpers.requireFree(id, incarnation, noted.get());
        }
    }

    /**
     * Grants a lease.
     *
     * @return its epoch
     * @throws CloudMwException as {@link HelperRegistry#register}; {@code COORDINATOR_UNAVAILABLE} when another process
     *     got the id from another coordinator at the same time, so that the helper retries
     */
    public long register(HelperAddress address, long incarnation, List<StoreId> disks) throws CloudMwException {
        if (shared.isEmpty()) {
            return helpers.register(address, incarnation, disks);
        }
        FleetReports board = shared.get();
        Optional<HelperRegistration> noted = board.registration(address.id());
        requireFree(address.id(), incarnation, noted);
        helpers.requireRoom(address.id());
        OptionalLong before = noted.isPresent() ? OptionalLong.of(noted.get().epoch()) : OptionalLong.empty();
        long epoch = helpers.nextEpoch(before.orElse(0));
        HelperRegistration next = new HelperRegistration(address, incarnation, disks, epoch);
        if (!board.register(before, next)) {
            throw new CloudMwException(
                    ErrorCode.COORDINATOR_UNAVAILABLE,
                    "helper " + address.id() + ": another process registered under this id at the same time; retry");
        }
        helpers.granted(next);
        return epoch;
    }

    /**
     * Renews a lease.
     *
     * @return whether this coordinator took the helper over from another one
     * @throws CloudMwException {@code HELPER_UNKNOWN}
     */
    public boolean heartbeat(HelperId id, long epoch, HeartbeatReport news) throws CloudMwException {
        if (shared.isEmpty()) {
            helpers.heartbeat(id, epoch, news);
            return false;
        }
        if (helpers.heard(id, epoch, news)) {
            return false;
        }
        helpers.heard(noted(shared.get(), id, epoch), news);
        return true;
    }

    private static HelperRegistration noted(FleetReports board, HelperId id, long epoch) throws CloudMwException {
        return board.registration(id)
                .filter(found -> found.epoch() == epoch && !found.left())
                .orElseThrow(() -> HelperRegistry.unknown(id, epoch));
    }

    /**
     * Ends a lease at once.
     *
     * @throws CloudMwException {@code HELPER_UNKNOWN}
     */
    public void leave(HelperId id, long epoch) throws CloudMwException {
        if (shared.isEmpty()) {
            helpers.leave(id, epoch);
            return;
        }
        HelperRegistration leaving = noted(shared.get(), id, epoch);
        if (!shared.get().register(OptionalLong.of(epoch), leaving.leaving())) {
            throw HelperRegistry.unknown(id, epoch);
        }
        helpers.left(leaving);
    }
}
