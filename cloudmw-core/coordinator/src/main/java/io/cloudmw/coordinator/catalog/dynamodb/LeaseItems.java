package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.core.error.CloudMwException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The items of leases, one for each job. Safe for any thread. */
final class LeaseItems implements Leases {
    private final RunningCalls calls;
    private final Table table;
    private final TransactionRetry transactions;

    LeaseItems(RunningCalls calls, Table table, TransactionRetry transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    @Override
    public Optional<Lease> acquire(String job, String holder, Duration term, long nowMillis) throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> {
            Optional<Lease> granted =
                    Lease.next(find(transaction, job), job, holder, nowMillis + term.toMillis(), nowMillis);
            granted.ifPresent(lease -> put(transaction, lease));
            return granted;
        }));
    }

    @Override
    public Lease renew(Lease lease, Duration term, long nowMillis) throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> {
            requireNewest(transaction, lease);
            Lease renewed = lease.until(nowMillis + term.toMillis());
            put(transaction, renewed);
            return renewed;
        }));
    }

    @Override
    public void release(Lease lease) throws CloudMwException {
        var unused = calls.call(() -> transactions.run(transaction -> {
            if (lease.isNewest(find(transaction, lease.job()))) {
                put(transaction, lease.until(0));
            }
            return lease;
        }));
    }

    @Override
    public List<Lease> all() throws CloudMwException {
        return calls.call(() -> {
            List<Lease> leases = new ArrayList<>();
            table.queryAll(KeyRange.all(KeyLayout.LEASES)).forEach(item -> leases.add(lease(item)));
            return leases;
        });
    }

    /** Makes the transaction fail unless the lease is still held. */
    static void requireNewest(Transaction transaction, Lease lease) throws CloudMwException {
        lease.requireNewest(find(transaction, lease.job()));
        transaction.require(
                KeyLayout.lease(lease.job()),
                Item.EPOCH + " = :epoch AND " + Item.UNTIL + " > :returned",
                Map.of(":epoch", Item.number(lease.epoch()), ":returned", Item.number(0)));
    }

    /** Makes the transaction fail unless the lease is still held, and reads other items in the same request. */
    static void requireNewest(Transaction transaction, Lease lease, List<ItemKey> others)
            throws TransactionConflict, CloudMwException {
        List<ItemKey> keys = new ArrayList<>(others);
        keys.add(KeyLayout.lease(lease.job()));
        transaction.load(keys);
        requireNewest(transaction, lease);
    }

    private static Optional<Lease> find(Transaction transaction, String job) throws CloudMwException {
        return transaction.get(KeyLayout.lease(job)).map(LeaseItems::lease);
    }

    private static void put(Transaction transaction, Lease lease) {
        transaction.put(Item.at(KeyLayout.lease(lease.job()))
                .with(Item.HOLDER, lease.holder())
                .with(Item.EPOCH, lease.epoch())
                .with(Item.UNTIL, lease.untilMillis()));
    }

    private static Lease lease(Item item) {
        return new Lease(item.key().sort(), item.text(Item.HOLDER), item.number(Item.EPOCH), item.number(Item.UNTIL));
    }
}
