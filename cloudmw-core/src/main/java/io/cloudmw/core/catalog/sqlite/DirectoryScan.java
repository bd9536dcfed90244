package io.cloudmw.core.catalog.sqlite;

import io.cloudmw.core.catalog.DirectoryEntry;
import io.cloudmw.core.catalog.Listing;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.wire.StoredForms;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One page of a directory: a walk over the index of paths that jumps over what lies in child directories. */
final class DirectoryScan {
    private static final String PATHS_FROM = "SELECT f.path, v.definition FROM files f JOIN versions v"
            + " ON v.id = f.version_id WHERE f.volume = ? AND f.path >= ? AND f.path < ? ORDER BY f.path";

    private final Connection connection;
    private final VolumeName volume;
    private final int limit;
    private final List<DirectoryEntry> entries = new ArrayList<>();
    private Listing listing;

    private DirectoryScan(Connection connection, VolumeName volume, Listing listing, int limit) {
        this.connection = connection;
        this.volume = volume;
        this.listing = listing;
        this.limit = limit;
    }

    static Page<DirectoryEntry> page(Connection connection, VolumeName volume, Listing listing, int limit)
            throws SQLException, CloudMwException {
        DirectoryScan scan = new DirectoryScan(connection, volume, listing, limit);
        boolean more = true;
        while (more && scan.entries.size() <= limit) {
            more = scan.untilDirectory();
        }
        return scan.entries.size() > limit
                ? new Page<>(scan.entries.subList(0, limit), scan.listing.token())
                : new Page<>(scan.entries, "");
    }

    /** Takes files up to and including the next child directory; false when there is nothing more. */
    private boolean untilDirectory() throws SQLException, CloudMwException {
        try (PreparedStatement statement =
                        Sql.prepare(connection, PATHS_FROM, volume.value(), listing.from(), listing.end());
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                String path = rows.getString(1);
                if (entries.size() == limit) {
                    // One beyond the page: only to know that more follows.
                    entries.add(new DirectoryEntry(listing.childName(path), Optional.empty()));
                    return false;
                }
                boolean directory = listing.isBelowChild(path);
                entries.add(new DirectoryEntry(
                        listing.childName(path),
                        directory ? Optional.empty() : Optional.of(StoredForms.version(rows.getBytes(2)))));
                listing = listing.after(path);
                if (directory) {
                    return true;
                }
            }
            return false;
        }
    }
}
