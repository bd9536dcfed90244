package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.Leases;
import io.cloudmw.core.error.CloudMwException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The rows of leases, one for each job. Safe for any thread. */
final class LeaseRows implements Leases {
    private static final String COLUMNS = "job, holder, epoch, until_at";

    private final SqliteDatabase database;

    LeaseRows(SqliteDatabase database) {
        this.database = database;
    }

    @Override
    public Optional<Lease> acquire(String job, String holder, Duration term, long nowMillis) throws CloudMwException {
        return database.write(connection -> {
            Optional<Lease> granted =
                    Lease.next(find(connection, job), job, holder, nowMillis + term.toMillis(), nowMillis);
            if (granted.isPresent()) {
                put(connection, granted.get());
            }
            return granted;
        });
    }

    @Override
    public Lease renew(Lease lease, Duration term, long nowMillis) throws CloudMwException {
        return database.write(connection -> {
            requireNewest(connection, lease);
            Lease renewed = lease.until(nowMillis + term.toMillis());
            put(connection, renewed);
            return renewed;
        });
    }

    @Override
    public void release(Lease lease) throws CloudMwException {
        database.write(connection -> {
            if (lease.isNewest(find(connection, lease.job()))) {
                put(connection, lease.until(0));
            }
            return lease;
        });
    }

    @Override
    public List<Lease> all() throws CloudMwException {
        return database.read(
                connection -> Sql.list(connection, LeaseRows::row, "SELECT " + COLUMNS + " FROM leases ORDER BY job"));
    }

    /** Makes the transaction fail unless the lease is still held. */
    static void requireNewest(Connection connection, Lease lease) throws SQLException, CloudMwException {
        lease.requireNewest(find(connection, lease.job()));
    }

    private static Optional<Lease> find(Connection connection, String job) throws SQLException, CloudMwException {
        return Sql.first(connection, LeaseRows::row, "SELECT " + COLUMNS + " FROM leases WHERE job = ?", job);
    }

    private static void put(Connection connection, Lease lease) throws SQLException {
        Sql.update(
                connection,
                "INSERT OR REPLACE INTO leases (" + COLUMNS + ") VALUES (?, ?, ?, ?)",
                lease.job(),
                lease.holder(),
                lease.epoch(),
                lease.untilMillis());
    }

    private static Lease row(ResultSet row) throws SQLException {
        return new Lease(row.getString(1), row.getString(2), row.getLong(3), row.getLong(4));
    }
}
