package io.cloudmw.client.warm;

import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.Location;
import java.util.Optional;

/**
 * A request to warm switches with one version of a file.
 *
 * @param version empty: the current one
 * @param to the switches in this place; {@link Location#NONE}: all of the volume
 * @param fetch whether missing bytes are fetched
 * @param look whether to check afterwards what is cached
 * @param runBytes bytes that the switches are to cache in all, this file's included: a smaller cache gets nothing
 */
public record WarmRequest(
        FilePath file,
        Optional<VersionId> version,
        Location to,
        boolean fetch,
        boolean look,
        long runBytes,
        WarmListener listener) {}
