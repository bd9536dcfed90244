package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.FleetReports;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperRegistration;
import io.cloudmw.core.model.fleet.SightingReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The reports that coordinators in one process exchange, guarded by their catalog's lock. */
final class FleetMaps implements FleetReports {
    private final InMemoryCatalog catalog;

    @GuardedBy("catalog")
    private final Map<HelperId, HelperRegistration> registrations = new HashMap<>();

    @GuardedBy("catalog")
    private final Map<Part, SightingReport> reports = new HashMap<>();

    private record Part(String coordinator, int part) {}

    FleetMaps(InMemoryCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Optional<HelperRegistration> registration(HelperId helper) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            return Optional.ofNullable(registrations.get(helper));
        }
    }

    @Override
    public boolean register(OptionalLong before, HelperRegistration next) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            HelperRegistration found = registrations.get(next.address().id());
            boolean asBefore =
                    found == null ? before.isEmpty() : before.isPresent() && before.getAsLong() == found.epoch();
            if (asBefore) {
                registrations.put(next.address().id(), next);
            }
            return asBefore;
        }
    }

    @Override
    public void publish(SightingReport report) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            reports.put(new Part(report.coordinator(), report.part()), report);
        }
    }

    @Override
    public List<SightingReport> reports() throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            return List.copyOf(reports.values());
        }
    }

    @Override
    public void withdraw(String coordinator) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            reports.keySet().removeIf(part -> part.coordinator().equals(coordinator));
        }
    }
}
