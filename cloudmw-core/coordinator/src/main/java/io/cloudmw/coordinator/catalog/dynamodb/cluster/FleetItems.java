package io.cloudmw.coordinator.catalog.dynamodb.cluster;

import io.cloudmw.coordinator.catalog.FleetReports;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperRegistration;
import io.cloudmw.core.model.fleet.SightingReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The items that coordinators exchange: one for each assigned helper id, and one for each part of a report. Safe for
 * any thread.
 */
public final class FleetItems implements FleetReports {
    private final RunningCalls calls;
    private final Table table;
    private final TransactionRetry transactions;

    public FleetItems(RunningCalls calls, Table table, TransactionRetry transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    @Override
    public Optional<HelperRegistration> registration(HelperId helper) throws CloudMwException {
        return calls.call(() -> registration(table.get(KeyLayout.helper(helper))));
    }

    @Override
    public boolean register(OptionalLong before, HelperRegistration next) throws CloudMwException {
        ItemKey key = KeyLayout.helper(next.address().id());
        return calls.call(() -> transactions.run(transaction -> {
            Optional<HelperRegistration> found = registration(transaction.get(key));
            boolean asBefore = found.isEmpty()
                    ? before.isEmpty()
                    : before.isPresent() && before.getAsLong() == found.get().epoch();
            if (asBefore) {
                transaction.put(Item.at(key).with(Item.FORM, StoredForms.registration(next)));
            }
            return asBefore;
        }));
    }

    private static Optional<HelperRegistration> registration(Optional<Item> item) throws CloudMwException {
        return item.isPresent()
                ? Optional.of(StoredForms.registration(item.get().bytes(Item.FORM)))
                : Optional.empty();
    }

    @Override
    public void publish(SightingReport report) throws CloudMwException {
        var unused = calls.call(() -> transactions.run(transaction -> {
            transaction.put(Item.at(KeyLayout.report(report.coordinator(), report.part()))
                    .with(Item.FORM, StoredForms.fleetReport(report)));
            return report;
        }));
    }

    @Override
    public List<SightingReport> reports() throws CloudMwException {
        return calls.call(() -> {
            List<SightingReport> reports = new ArrayList<>();
            for (Item item : table.queryAll(KeyRange.all(KeyLayout.REPORTS))) {
                reports.add(StoredForms.fleetReport(item.bytes(Item.FORM)));
            }
            return reports;
        });
    }

    @Override
    public void withdraw(String coordinator) throws CloudMwException {
        calls.act(() -> {
            List<Item> parts =
                    table.queryAll(KeyRange.startingWith(KeyLayout.REPORTS, KeyLayout.reportsOf(coordinator)));
            table.deleteAll(parts.stream().map(Item::key).toList());
        });
    }
}
