package io.cloudmw.client.progress;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.file.FileVersion;
import java.util.List;

/**
 * A listener to a warm-up, called by any thread, one at a time. It must not block. Exceptions that it throws are logged
 * and ignored.
 */
public interface WarmListener {
    /** A listener that ignores everything. */
    WarmListener NONE = new WarmListener() {};

    /** These switches are to cache this version. */
    default void planned(FileVersion version, List<HelperId> switches) {}

    /** So many bytes of {@code total}, the sum over all switches, are done. */
    default void progressed(long done, long total) {}
}
