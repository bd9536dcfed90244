package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.core.error.CloudMwException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The leases, one item for each job. */
final class LeaseItems implements Leases {
    private final Calls calls;
    private final Table table;
    private final Transactions transactions;

    LeaseItems(Calls calls, Table table, Transactions transactions) {
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
            table.queryAll(Range.all(Keys.LEASES)).forEach(item -> leases.add(lease(item)));
            return leases;
        });
    }

    /** The fence of what this transaction writes. */
    static void requireNewest(Transaction transaction, Lease lease) throws CloudMwException {
        lease.requireNewest(find(transaction, lease.job()));
        transaction.require(
                Keys.lease(lease.job()),
                Item.EPOCH + " = :epoch AND " + Item.UNTIL + " > :returned",
                Map.of(":epoch", Item.number(lease.epoch()), ":returned", Item.number(0)));
    }

    /** The same, reading other items along with it. */
    static void requireNewest(Transaction transaction, Lease lease, List<Key> others)
            throws Conflict, CloudMwException {
        List<Key> keys = new ArrayList<>(others);
        keys.add(Keys.lease(lease.job()));
        transaction.load(keys);
        requireNewest(transaction, lease);
    }

    private static Optional<Lease> find(Transaction transaction, String job) throws CloudMwException {
        return transaction.get(Keys.lease(job)).map(LeaseItems::lease);
    }

    private static void put(Transaction transaction, Lease lease) {
        transaction.put(Item.at(Keys.lease(lease.job()))
                .with(Item.HOLDER, lease.holder())
                .with(Item.EPOCH, lease.epoch())
                .with(Item.UNTIL, lease.untilMillis()));
    }

    private static Lease lease(Item item) {
        return new Lease(item.key().sort(), item.text(Item.HOLDER), item.number(Item.EPOCH), item.number(Item.UNTIL));
    }
}
