package io.cloudmw.client.warm;

import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.model.VersionId;
import java.util.Optional;

/**
 * A request to warm switches with one version of a file.
 *
 * @param version empty: the current one
 * @param to the switches in this place; {@link Location#NONE}: all of the volume
 * @param fetch whether what is missing is fetched
 * @param look whether is looked what is kept, after that
 * @param runBytes that the switches are to keep altogether, this file's included: one that cannot is given nothing
 */
public record WarmRequest(
        FilePath file,
        Optional<VersionId> version,
        Location to,
        boolean fetch,
        boolean look,
        long runBytes,
        WarmListener listener) {}
