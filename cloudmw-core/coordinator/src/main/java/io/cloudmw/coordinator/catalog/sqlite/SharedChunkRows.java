package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The rows of references to chunks that other versions wrote; each method is part of the caller's transaction. */
final class SharedChunkRows {
    /** The rows of committed versions, the only ones that count; forgotten versions have none. */
    private static final String COMMITTED =
            " FROM shared s JOIN versions v ON v.id = s.version_id AND v.definition IS NOT NULL";

    /**
     * The condition for runs that contain a chunk index. No run is longer than a segment, so that few rows are read.
     */
    private static final String HAVING = " s.first_chunk > %1$s - " + ManifestSegment.MAX_CHUNKS
            + " AND s.first_chunk <= %1$s AND s.end_chunk > %1$s";

    /** The references to a chunk; the parameters are its writer and its index. */
    private static final String NAMING =
            COMMITTED + " WHERE s.owner = ?1 AND" + String.format(Locale.ROOT, HAVING, "?2");

    /** The condition that the bytes of the chunk of {@code s} are not in another pack by now. */
    private static final String NOT_MOVED = " AND NOT EXISTS (SELECT 1 FROM relocations m WHERE m.original = s.owner)";

    /** The condition that a current version references a chunk of another version. */
    static final String IN_CURRENT =
            "EXISTS (SELECT 1 FROM shared s JOIN versions n ON n.id = s.version_id AND n.state = "
                    + SqliteSchema.CURRENT + " WHERE s.owner = r.version_id AND"
                    + String.format(Locale.ROOT, HAVING, "r.chunk") + NOT_MOVED + ")";

    /** The references to a chunk, or to a slice that was moved to it; the parameters are its writer and its index. */
    private static final String NAMING_MOVED =
            COMMITTED + " WHERE s.owner = " + original("?1") + " AND" + String.format(Locale.ROOT, HAVING, "?2");

    private SharedChunkRows() {}

    /** Returns an expression for the pack whose slices manifests name to need those of a pack. */
    static String original(String pack) {
        return String.format(Locale.ROOT, "coalesce((SELECT p.original FROM packs p WHERE p.id = %1$s), %1$s)", pack);
    }

    static void put(Connection connection, VersionId version, int segment, List<SharedRun> runs) throws SQLException {
        Sql.update(connection, "DELETE FROM shared WHERE version_id = ? AND segment = ?", version.value(), segment);
        for (SharedRun run : runs) {
            Sql.update(
                    connection,
                    "INSERT OR REPLACE INTO shared (owner, first_chunk, end_chunk, version_id, segment) VALUES (?, ?, ?, ?, ?)",
                    run.owner().value(),
                    run.firstIndex(),
                    run.endIndex(),
                    version.value(),
                    segment);
        }
    }

    static Set<ChunkId> namedElsewhere(Connection connection, VersionId version, Collection<ChunkId> chunks)
            throws SQLException, CloudMwException {
        Map<VersionId, Boolean> kept = new HashMap<>();
        Set<ChunkId> named = new HashSet<>();
        for (ChunkId chunk : chunks) {
            VersionId owner = chunk.version();
            if (!kept.containsKey(owner)) {
                kept.put(owner, !owner.equals(version) && isKept(connection, owner));
            }
            if (kept.get(owner) || isShared(connection, version, chunk)) {
                named.add(chunk);
            }
        }
        return named;
    }

    /** Returns whether the version's manifest is kept and was checked. */
    private static boolean isKept(Connection connection, VersionId version) throws SQLException, CloudMwException {
        return Sql.exists(
                connection,
                "SELECT 1 FROM versions WHERE id = ? AND definition IS NOT NULL AND state <> ?",
                version.value(),
                SqliteSchema.LENT);
    }

    private static boolean isShared(Connection connection, VersionId but, ChunkId chunk)
            throws SQLException, CloudMwException {
        return Sql.exists(
                connection,
                "SELECT 1" + NAMING + NOT_MOVED + " AND s.version_id <> ?3 LIMIT 1",
                chunk.version().value(),
                chunk.index(),
                but.value());
    }

    static Optional<ChunkReference> namer(Connection connection, ChunkId chunk) throws SQLException, CloudMwException {
        Optional<ChunkReference> sharing = Sql.first(
                connection,
                row -> new ChunkReference(
                        new VersionId(row.getString(1)),
                        OptionalInt.of(row.getInt(2)),
                        row.getInt(3) == SqliteSchema.CURRENT),
                "SELECT s.version_id, s.segment, v.state" + NAMING + NOT_MOVED + " ORDER BY v.state LIMIT 1",
                chunk.version().value(),
                chunk.index());
        boolean written = isKept(connection, chunk.version());
        boolean current = Sql.exists(
                connection,
                "SELECT 1 FROM versions WHERE id = ? AND state = ?",
                chunk.version().value(),
                SqliteSchema.CURRENT);
        return written && (current || sharing.isEmpty())
                ? Optional.of(ChunkReference.ofWriter(chunk.version(), current))
                : sharing;
    }

    static Set<ChunkId> namedBy(Connection connection, VersionId version, Collection<ChunkId> chunks)
            throws SQLException, CloudMwException {
        Set<ChunkId> named = new HashSet<>();
        for (ChunkId chunk : chunks) {
            boolean shared = Sql.exists(
                    connection,
                    "SELECT 1" + NAMING_MOVED + " AND s.version_id = ?3 LIMIT 1",
                    chunk.version().value(),
                    chunk.index(),
                    version.value());
            if (shared) {
                named.add(chunk);
            }
        }
        return named;
    }

    /** Drops the records of a version, and of versions lent to it alone; parts that other versions reference stay. */
    static void forget(Connection connection, VersionId version) throws SQLException, CloudMwException {
        List<String> owners = Sql.list(
                connection,
                row -> row.getString(1),
                "SELECT DISTINCT owner FROM shared WHERE version_id = ?",
                version.value());
        Sql.update(connection, "DELETE FROM shared WHERE version_id = ?", version.value());
        Sql.update(connection, "DELETE FROM segments WHERE version_id = ?", version.value());
        Sql.update(connection, "UPDATE versions SET state = ? WHERE id = ?", SqliteSchema.LENT, version.value());
        dropIfUnshared(connection, version.value());
        for (String owner : owners) {
            dropIfUnshared(connection, owner);
        }
    }

    /** Drops a lent version unless it is still referenced. The id of a version that was never committed stays. */
    private static void dropIfUnshared(Connection connection, String lender) throws SQLException, CloudMwException {
        boolean unshared = Sql.exists(
                connection,
                "SELECT 1 FROM versions WHERE id = ? AND state = ? AND NOT EXISTS (SELECT 1" + COMMITTED
                        + " WHERE s.owner = ?)",
                lender,
                SqliteSchema.LENT,
                lender);
        if (unshared) {
            Sql.update(connection, "DELETE FROM replicas WHERE version_id = ?", lender);
            Sql.update(connection, "DELETE FROM relocations WHERE original = ?", lender);
            Sql.update(connection, "DELETE FROM versions WHERE id = ? AND definition IS NOT NULL", lender);
        }
    }
}
