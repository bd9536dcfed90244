package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.UpkeepNotes;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;
import java.util.TreeMap;

/** The rows of upkeep's notes, one for each. Safe for any thread. */
final class NoteRows implements UpkeepNotes {
    private final SqliteDatabase database;

    NoteRows(SqliteDatabase database) {
        this.database = database;
    }

    @Override
    public Map<String, String> startingWith(String prefix) throws CloudMwException {
        Map<String, String> notes = new TreeMap<>();
        for (Map.Entry<String, String> note : database.read(connection -> Sql.list(
                connection,
                row -> Map.entry(row.getString(1), row.getString(2)),
                "SELECT key, text FROM notes WHERE key >= ? AND substr(key, 1, length(?)) = ? ORDER BY key LIMIT ?",
                prefix,
                prefix,
                prefix,
                MAX))) {
            notes.put(note.getKey(), note.getValue());
        }
        return notes;
    }

    @Override
    public void put(Lease lease, String key, String text) throws CloudMwException {
        PageRules.checkNote(key, text);
        database.write(connection -> {
            LeaseRows.requireNewest(connection, lease);
            return text.isEmpty()
                    ? Sql.update(connection, "DELETE FROM notes WHERE key = ?", key)
                    : Sql.update(
                            connection,
                            "INSERT INTO notes VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET text = excluded.text",
                            key,
                            text);
        });
    }
}
