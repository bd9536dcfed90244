package io.cloudmw.client.progress;

import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.HelperId;
import java.util.List;

/** Told how a warm-up goes, by any thread, one at a time. It must not block. What it throws is logged and ignored. */
public interface WarmListener {
    /** Hears nothing. */
    WarmListener NONE = new WarmListener() {};

    /** These switches are to keep this version. */
    default void planned(FileVersion version, List<HelperId> switches) {}

    /** Of {@code total} bytes, those of all switches together, {@code done} were dealt with. */
    default void progressed(long done, long total) {}
}
