package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperRegistration;
import io.cloudmw.core.model.fleet.SightingReport;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The reports about helpers that coordinators of one catalog exchange. Compare-and-set decides here which process owns
 * a helper id. Liveness is only reported, in one report per coordinator for all its helpers, so that writes do not grow
 * with heartbeats.
 *
 * <p>Atomic, durable and safe for any thread like its {@link Catalog}; calls block. Every later call of any process
 * reads what was written.
 */
public interface FleetReports {
    /** Returns the process that has this id, or had it before it left. */
    Optional<HelperRegistration> registration(HelperId helper) throws CloudMwException;

    /**
     * Assigns an id to a process, or records that the process has left.
     *
     * @param before the epoch of the owner so far; empty: the id was never assigned
     * @return whether {@code before} was the owner, so that {@code next} is recorded now
     */
    boolean register(OptionalLong before, HelperRegistration next) throws CloudMwException;

    /** Replaces the coordinator's report of the same part. */
    void publish(SightingReport report) throws CloudMwException;

    /** Returns the last reports of all coordinators, in no particular order. */
    List<SightingReport> reports() throws CloudMwException;

    /** Drops all reports of a coordinator. */
    void withdraw(String coordinator) throws CloudMwException;
}
