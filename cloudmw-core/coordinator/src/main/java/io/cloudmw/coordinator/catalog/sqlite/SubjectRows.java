package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.grant.Subject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The rows of subjects, one for each, and the row of their revision. Safe for any thread. */
final class SubjectRows implements SubjectRecords {
    private final SqliteDatabase database;

    SubjectRows(SqliteDatabase database) {
        this.database = database;
    }

    @Override
    public long revision() throws CloudMwException {
        return database.read(SubjectRows::revision);
    }

    private static long revision(Connection connection) throws SQLException, CloudMwException {
        return Sql.first(connection, row -> row.getLong(1), "SELECT revision FROM subject_revision")
                .orElse(0L);
    }

    @Override
    public Optional<Subject> subject(String name) throws CloudMwException {
        return database.read(connection -> find(connection, name));
    }

    @Override
    public List<Subject> subjects() throws CloudMwException {
        return database.read(SubjectRows::all);
    }

    private static List<Subject> all(Connection connection) throws SQLException, CloudMwException {
        List<Subject> subjects = new ArrayList<>();
        for (byte[] form : Sql.list(
                connection,
                row -> row.getBytes(1),
                "SELECT definition FROM subjects ORDER BY name LIMIT ?",
                MAX_RECORDS)) {
            subjects.add(StoredForms.subject(form));
        }
        return subjects;
    }

    @Override
    public Subject change(String name, ValueUpdate<Subject> update) throws CloudMwException {
        return database.write(connection -> {
            Optional<Subject> before = find(connection, name);
            Subject known = before.orElse(Subject.unknown(name));
            Subject changed = update.of(known);
            if (changed.equals(known)) {
                return changed;
            }
            Subject next = SubjectRecords.recorded(known, changed, revision(connection) + 1);
            if (known.isEmpty()
                    && !next.isEmpty()
                    && Sql.exists(connection, "SELECT 1 WHERE (SELECT count(*) FROM subjects) >= " + MAX)) {
                SubjectRecords.requireRoom(before.isEmpty(), all(connection));
            }
            if (next.isForgotten()) {
                Sql.update(connection, "DELETE FROM subjects WHERE name = ?", name);
            } else {
                Sql.update(
                        connection, "INSERT OR REPLACE INTO subjects VALUES (?, ?)", name, StoredForms.subject(next));
            }
            Sql.update(connection, "UPDATE subject_revision SET revision = revision + 1");
            return next;
        });
    }

    private static Optional<Subject> find(Connection connection, String name) throws SQLException, CloudMwException {
        Optional<byte[]> form =
                Sql.first(connection, row -> row.getBytes(1), "SELECT definition FROM subjects WHERE name = ?", name);
        return form.isEmpty() ? Optional.empty() : Optional.of(StoredForms.subject(form.get()));
    }
}
