package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The schema of the database, as a list of upgrade steps. A change appends a step; steps are never edited, since
 * existing files have applied them.
 */
final class SqliteSchema {
    /** The states of a version, as stored in {@code versions.state}. */
    static final int OPEN = 0;

    static final int CURRENT = 1;
    static final int RETIRED = 2;

    /** Forgotten except for chunks that others share; without a definition: never committed, with only its id kept. */
    static final int LENT = 3;

    static final List<String> FIRST = List.of(
            "CREATE TABLE volumes (name TEXT PRIMARY KEY, definition BLOB NOT NULL) WITHOUT ROWID",
            "CREATE TABLE volume_stores (store_id TEXT NOT NULL, volume TEXT NOT NULL,"
                    + " PRIMARY KEY (store_id, volume)) WITHOUT ROWID",
            "CREATE TABLE stores (id TEXT PRIMARY KEY, definition BLOB NOT NULL) WITHOUT ROWID",
            // files maps the paths of a volume to versions; BINARY collation is the order of UTF-8 bytes
            "CREATE TABLE files (volume TEXT NOT NULL, path TEXT NOT NULL, version_id TEXT NOT NULL,"
                    + " PRIMARY KEY (volume, path)) WITHOUT ROWID",
            // definition and volume are set by the commit; changed_at is the time of the last segment or of the
            // retirement
            "CREATE TABLE versions (id TEXT PRIMARY KEY, state INTEGER NOT NULL, volume TEXT, definition BLOB,"
                    + " changed_at INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE INDEX versions_open ON versions (changed_at) WHERE state = 0",
            "CREATE INDEX versions_retired ON versions (id) WHERE state = 2",
            "CREATE TABLE segments (version_id TEXT NOT NULL, segment INTEGER NOT NULL, sha256 BLOB NOT NULL,"
                    + " body BLOB NOT NULL, PRIMARY KEY (version_id, segment))",
            // holds replicas that are not good, and those that became good before their version's commit
            "CREATE TABLE replicas (version_id TEXT NOT NULL, chunk INTEGER NOT NULL, store_id TEXT NOT NULL,"
                    + " state TEXT NOT NULL, PRIMARY KEY (version_id, chunk, store_id)) WITHOUT ROWID");

    /** Replaces paths by names in numbered directories, so that a rename changes one row. */
    private static final List<String> TREE = List.of(
            // a number is never reused, since page tokens contain it; reach is the length of the longest path below
            "CREATE TABLE directories (id INTEGER PRIMARY KEY AUTOINCREMENT, volume TEXT NOT NULL,"
                    + " reach INTEGER NOT NULL)",
            "CREATE INDEX directories_volume ON directories (volume)",
            // an entry has either child or version_id; BINARY collation is the order of UTF-8 bytes
            "CREATE TABLE entries (directory INTEGER NOT NULL, name TEXT NOT NULL, child INTEGER, version_id TEXT,"
                    + " moved_by TEXT NOT NULL, PRIMARY KEY (directory, name)) WITHOUT ROWID",
            "ALTER TABLE volumes ADD COLUMN root INTEGER NOT NULL DEFAULT 0",
            "CREATE TABLE former (id INTEGER PRIMARY KEY, volume TEXT NOT NULL, path TEXT NOT NULL,"
                    + " UNIQUE (volume, path))",
            "INSERT INTO former (volume, path) WITH RECURSIVE above (volume, path) AS ("
                    + "SELECT name, '/' FROM volumes"
                    + " UNION SELECT volume, rtrim(path, replace(path, '/', '')) FROM files"
                    + " UNION SELECT volume, " + parentOf("path") + " FROM above WHERE path <> '/')"
                    + " SELECT volume, path FROM above",
            "INSERT INTO directories (id, volume, reach) SELECT d.id, d.volume, coalesce((SELECT max("
                    + bytesOf("f.path") + ") FROM files f WHERE f.volume = d.volume AND f.path >= d.path"
                    + " AND f.path < rtrim(d.path, '/') || '0') - " + bytesOf("d.path")
                    + " + 1, 0) FROM former d",
            "INSERT INTO entries (directory, name, child, moved_by) SELECT p.id,"
                    + " rtrim(substr(d.path, length(p.path) + 1), '/'), d.id, '' FROM former d JOIN former p"
                    + " ON p.volume = d.volume AND p.path = " + parentOf("d.path")
                    + " WHERE d.path <> '/'",
            "INSERT INTO entries (directory, name, version_id, moved_by) SELECT p.id,"
                    + " substr(f.path, length(p.path) + 1), f.version_id, '' FROM files f JOIN former p"
                    + " ON p.volume = f.volume AND p.path = rtrim(f.path, replace(f.path, '/', ''))",
            "UPDATE volumes SET root =" + " (SELECT id FROM former f WHERE f.volume = volumes.name AND f.path = '/')",
            "DROP TABLE former",
            "DROP TABLE files");

    /** Adds a file's creation time and attributes; an existing file gets its current version's time. */
    private static final List<String> FILES = List.of(
            "ALTER TABLE entries ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE entries ADD COLUMN attributes BLOB",
            "UPDATE entries SET created_at = coalesce((SELECT v.changed_at FROM versions v WHERE v.id = version_id), 0)"
                    + " WHERE version_id IS NOT NULL");

    /** Adds the newest lease of every background job. */
    private static final List<String> LEASES =
            List.of("CREATE TABLE leases (job TEXT PRIMARY KEY, holder TEXT NOT NULL,"
                    + " epoch INTEGER NOT NULL, until_at INTEGER NOT NULL) WITHOUT ROWID");

    /** Adds the log of changes to names. */
    private static final List<String> CHANGES = List.of(
            // position is that of the volume's last change; a row outlives its volume
            "CREATE TABLE change_logs (volume TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE TABLE changes (volume TEXT NOT NULL, position INTEGER NOT NULL, changed_at INTEGER NOT NULL,"
                    + " definition BLOB NOT NULL, PRIMARY KEY (volume, position)) WITHOUT ROWID");

    /** Adds the time of a replica's record and an index of those that need work. */
    private static final List<String> UPKEEP = List.of(
            "ALTER TABLE replicas ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0",
            "CREATE INDEX replicas_pending ON replicas (version_id, chunk, store_id) WHERE"
                    + " state IN ('OWED', 'MISSING', 'CORRUPT', 'DROPPED')");

    /** Adds the references to chunks that other versions wrote; end_chunk is the index after the last. */
    private static final List<String> SHARING = List.of(
            "CREATE TABLE shared (owner TEXT NOT NULL, first_chunk INTEGER NOT NULL, end_chunk INTEGER NOT NULL,"
                    + " version_id TEXT NOT NULL, segment INTEGER NOT NULL,"
                    + " PRIMARY KEY (owner, first_chunk, version_id, segment)) WITHOUT ROWID",
            "CREATE INDEX shared_version ON shared (version_id, segment)");

    /** Adds upkeep's notes; dropped copies are then found in the stores. */
    private static final List<String> NOTES = List.of(
            "CREATE TABLE notes (key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
            "DROP INDEX replicas_pending",
            "CREATE INDEX replicas_faulty ON replicas (version_id, chunk, store_id) WHERE " + ReplicaRows.FAULTY);

    /**
     * Adds snapshots and past entries; the snapshots from number since (inclusive) to until (exclusive) see an entry.
     */
    private static final List<String> SNAPSHOTS = List.of(
            "ALTER TABLE volumes ADD COLUMN snapshots_taken INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE entries ADD COLUMN since INTEGER NOT NULL DEFAULT 0",
            "CREATE INDEX entries_version ON entries (version_id) WHERE version_id IS NOT NULL",
            "CREATE TABLE snapshots (volume TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,"
                    + " created_at INTEGER NOT NULL, PRIMARY KEY (volume, name)) WITHOUT ROWID",
            "CREATE TABLE past (directory INTEGER NOT NULL, name TEXT NOT NULL, until INTEGER NOT NULL,"
                    + " since INTEGER NOT NULL, volume TEXT NOT NULL, child INTEGER, version_id TEXT,"
                    + " created_at INTEGER NOT NULL, attributes BLOB, PRIMARY KEY (directory, name, until)) WITHOUT ROWID",
            "CREATE INDEX past_version ON past (version_id) WHERE version_id IS NOT NULL",
            "CREATE INDEX past_volume ON past (volume)");

    /** Adds calls that took effect, with their answers. */
    private static final List<String> CALLS =
            List.of("CREATE TABLE applied_calls (issued_at INTEGER NOT NULL, id TEXT NOT NULL, answer BLOB NOT NULL,"
                    + " PRIMARY KEY (issued_at, id)) WITHOUT ROWID");

    /** Adds the catalog's id. */
    private static final List<String> CLUSTER = List.of(
            "CREATE TABLE cluster (id TEXT NOT NULL)", "INSERT INTO cluster VALUES (lower(hex(randomblob(16))))");

    /** Drops the column that recorded a rename before calls had ids. */
    private static final List<String> RENAMES = List.of("ALTER TABLE entries DROP COLUMN moved_by");

    /** Adds the refusals of calls; empty: the call took effect. */
    private static final List<String> REFUSALS =
            List.of("ALTER TABLE applied_calls ADD COLUMN refusal TEXT NOT NULL DEFAULT ''");

    /** Adds whether a directory stays when it is empty; then created_at and attributes are the directory's. */
    private static final List<String> KEPT = List.of(
            "ALTER TABLE entries ADD COLUMN kept INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE past ADD COLUMN kept INTEGER NOT NULL DEFAULT 0");

    /** Adds the locks on files; until_at is when the last lock of a file ends, fence is the last of a volume. */
    private static final List<String> LOCKS = List.of(
            "CREATE TABLE locks (volume TEXT NOT NULL, path TEXT NOT NULL, until_at INTEGER NOT NULL,"
                    + " definition BLOB NOT NULL, PRIMARY KEY (volume, path)) WITHOUT ROWID",
            "CREATE TABLE lock_fences (volume TEXT PRIMARY KEY, fence INTEGER NOT NULL) WITHOUT ROWID");

    /** Adds the versions that hold the bytes of small files. */
    private static final List<String> PACKS = List.of("CREATE TABLE packs (id TEXT PRIMARY KEY) WITHOUT ROWID");

    /**
     * Adds the places of compacted packs. A pack that has the slices of an earlier one names it as original; a closed one
     * takes no files.
     */
    private static final List<String> RELOCATIONS = List.of(
            "ALTER TABLE packs ADD COLUMN original TEXT",
            "ALTER TABLE packs ADD COLUMN closed INTEGER NOT NULL DEFAULT 0",
            "CREATE TABLE relocations (original TEXT PRIMARY KEY, pack TEXT NOT NULL, definition BLOB NOT NULL)"
                    + " WITHOUT ROWID");

    /** Adds subjects and the number of changes to them. */
    private static final List<String> SUBJECTS = List.of(
            "CREATE TABLE subjects (name TEXT PRIMARY KEY, definition BLOB NOT NULL) WITHOUT ROWID",
            "CREATE TABLE subject_revision (revision INTEGER NOT NULL)",
            "INSERT INTO subject_revision VALUES (0)");

    private static final List<List<String>> STEPS = List.of(
            FIRST,
            TREE,
            FILES,
            LEASES,
            CHANGES,
            UPKEEP,
            SHARING,
            NOTES,
            SNAPSHOTS,
            CALLS,
            CLUSTER,
            RENAMES,
            REFUSALS,
            KEPT,
            LOCKS,
            PACKS,
            RELOCATIONS,
            SUBJECTS);

    private SqliteSchema() {}

    static VersionState state(int kept) {
        return switch (kept) {
            case OPEN -> VersionState.OPEN;
            case CURRENT -> VersionState.CURRENT;
            case RETIRED -> VersionState.RETIRED;
            case LENT -> VersionState.LENT;
            default -> throw new IllegalStateException("versions.state: " + kept);
        };
    }

    /** Returns the parent of a path like {@code /a/b/}, in the same form. */
    private static String parentOf(String path) {
        return "rtrim(rtrim(" + path + ", '/'), replace(" + path + ", '/', ''))";
    }

    private static String bytesOf(String text) {
        return "length(CAST(" + text + " AS BLOB))";
    }

    /** Upgrades the file to this release's schema, in one transaction. */
    static void upgrade(Connection connection) throws SQLException, CloudMwException {
        connection.setAutoCommit(false);
        try {
            Sql.update(connection, "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)");
            int version = Sql.first(connection, row -> row.getInt(1), "SELECT version FROM schema_version")
                    .orElse(0);
            if (version > STEPS.size()) {
                throw new CloudMwException(
                        ErrorCode.VERSION_UNSUPPORTED,
                        "catalog: schema version " + version + " was written by a newer release (expected: <= "
                                + STEPS.size() + ")");
            }
            for (List<String> step : STEPS.subList(version, STEPS.size())) {
                for (String statement : step) {
                    Sql.update(connection, statement);
                }
            }
            Sql.update(connection, "DELETE FROM schema_version");
            Sql.update(connection, "INSERT INTO schema_version VALUES (?)", STEPS.size());
            connection.commit();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
