package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperRegistration;
import io.cloudmw.core.model.fleet.SightingReport;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What coordinators that share a catalog tell each other of helpers. Which process has a helper's id is decided here, by
 * compare-and-set; whether it is alive is only told, in one report for all the helpers that a coordinator hears, so that what is
 * written does not grow with heartbeats.
 *
 * <p>Atomic, durable and safe for any thread like the {@link Catalog} that gives it out; calls block. What was written is
 * read by every later call, of whichever process.
 */
public interface FleetBoard {
    /** Who has this id, or had it before it left. */
    Optional<HelperRegistration> registration(HelperId helper) throws CloudMwException;

    /**
     * Lets a process have an id, or notes that it has left.
     *
     * @param before the epoch of who must have had it until now; empty: nobody ever
     * @return whether that was so, and {@code next} is noted now
     */
    boolean register(OptionalLong before, HelperRegistration next) throws CloudMwException;

    /** Replaces the coordinator's report of the same part. */
    void publish(SightingReport report) throws CloudMwException;

    /** The last reports of all coordinators, in no particular order. */
    List<SightingReport> reports() throws CloudMwException;

    /** Drops all reports of a coordinator. */
    void withdraw(String coordinator) throws CloudMwException;
}
