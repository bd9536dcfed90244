package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.coordinator.lock.PathLocks;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The rows of locks, one for each file that has some. Safe for any thread. */
final class LockRows implements LockRecords {
    private final SqliteDatabase database;

    LockRows(SqliteDatabase database) {
        this.database = database;
    }

    @Override
    public LockAnswer acquire(LockRequest request, long nowMillis) throws CloudMwException {
        return database.write(connection -> acquire(connection, request, nowMillis));
    }

    private static LockAnswer acquire(Connection connection, LockRequest request, long nowMillis)
            throws SQLException, CloudMwException {
        VolumeName volume = request.file().volume();
        if (!Sql.exists(connection, "SELECT 1 FROM volumes WHERE name = ?", volume.value())) {
            throw CatalogErrors.volumeNotFound(volume);
        }
        PathLocks before = find(connection, request.file());
        if (before.locks().isEmpty()) {
            requireRoom(connection, volume, nowMillis);
        }
        long last = Sql.first(
                        connection,
                        row -> row.getLong(1),
                        "SELECT fence FROM lock_fences WHERE volume = ?",
                        volume.value())
                .orElse(0L);
        PathLocks.Grant grant = before.request(request, last + 1, nowMillis);
        put(connection, grant.locks());
        if (grant.answer().claim().filter(claim -> claim.fence() > last).isPresent()) {
            Sql.update(connection, "INSERT OR REPLACE INTO lock_fences VALUES (?, ?)", volume.value(), last + 1);
        }
        return grant.answer();
    }

    private static void requireRoom(Connection connection, VolumeName volume, long nowMillis)
            throws SQLException, CloudMwException {
        String count = "SELECT 1 WHERE (SELECT count(*) FROM locks WHERE volume = ?) >= " + MAX_FILES;
        if (Sql.exists(connection, count, volume.value())) {
            Sql.update(connection, "DELETE FROM locks WHERE volume = ? AND until_at <= ?", volume.value(), nowMillis);
            if (Sql.exists(connection, count, volume.value())) {
                throw LockRecords.tooMany(volume);
            }
        }
    }

    @Override
    public void renew(FilePath file, LockClaim claim, Duration term, long nowMillis) throws CloudMwException {
        database.write(connection -> put(connection, find(connection, file).renew(claim, nowMillis + term.toMillis())));
    }

    @Override
    public void release(FilePath file, UUID lockId) throws CloudMwException {
        database.write(connection -> put(connection, find(connection, file).without(lockId)));
    }

    @Override
    public PathLocks of(FilePath file) throws CloudMwException {
        return database.read(connection -> find(connection, file));
    }

    /** Makes the transaction fail unless the locks are still held. */
    static void requireHeld(Connection connection, FilePath file, List<LockClaim> claims)
            throws SQLException, CloudMwException {
        if (!claims.isEmpty()) {
            find(connection, file).requireHeld(claims);
        }
    }

    static void removeAll(Connection connection, VolumeName volume) throws SQLException {
        Sql.update(connection, "DELETE FROM locks WHERE volume = ?", volume.value());
    }

    private static PathLocks find(Connection connection, FilePath file) throws SQLException, CloudMwException {
        return Sql.first(
                        connection,
                        row -> StoredForms.pathLocks(row.getBytes(1)),
                        "SELECT definition FROM locks WHERE volume = ? AND path = ?",
                        file.volume().value(),
                        file.path())
                .orElseGet(() -> PathLocks.none(file));
    }

    private static int put(Connection connection, PathLocks locks) throws SQLException {
        FilePath file = locks.file();
        if (locks.locks().isEmpty()) {
            return Sql.update(
                    connection,
                    "DELETE FROM locks WHERE volume = ? AND path = ?",
                    file.volume().value(),
                    file.path());
        }
        return Sql.update(
                connection,
                "INSERT OR REPLACE INTO locks (volume, path, until_at, definition) VALUES (?, ?, ?, ?)",
                file.volume().value(),
                file.path(),
                locks.untilMillis(),
                StoredForms.pathLocks(locks));
    }
}
