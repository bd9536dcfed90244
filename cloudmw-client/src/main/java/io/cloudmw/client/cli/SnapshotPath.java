package io.cloudmw.client.cli;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Snapshot;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;

/**
 * {@code volume:/path}, as it is, or {@code volume@snapshot:/path}, as it was.
 *
 * @param path of a file, or {@code /}
 */
record SnapshotPath(VolumeName volume, Optional<String> snapshot, String path) {
    /** Reads one; without a colon, or with nothing behind it, it is the volume's {@code /}. */
    static SnapshotPath parse(String text) {
        int colon = text.indexOf(':');
        String place = colon < 0 ? text : text.substring(0, colon);
        String path = colon < 0 || colon == text.length() - 1 ? "/" : text.substring(colon + 1);
        int at = place.indexOf('@');
        return at < 0
                ? new SnapshotPath(new VolumeName(place), Optional.empty(), path)
                : new SnapshotPath(
                        new VolumeName(place.substring(0, at)),
                        Optional.of(Snapshot.checkName(place.substring(at + 1))),
                        path);
    }

    FilePath file() {
        return new FilePath(volume, path);
    }

    /** What is known of the file; blocks. */
    FileStatus stat(CloudMw client) throws CloudMwException {
        return Calls.await(
                snapshot.isPresent() ? client.snapshots().stat(snapshot.get(), file()) : client.stat(file()));
    }
}
