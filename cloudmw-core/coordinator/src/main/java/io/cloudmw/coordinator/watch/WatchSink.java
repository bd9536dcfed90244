package io.cloudmw.coordinator.watch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.file.Change;
import java.util.List;

/** Where a watcher's news go. One call at a time, none after {@link #end} or {@link #failed}; none may block. */
public interface WatchSink {
    /** Whether more may be told now; once it may again, {@link Watcher#wake} is to be called. */
    boolean isReady();

    /**
     * What happened, in order.
     *
     * @param changes may be none
     * @param position up to which nothing else is to be told
     */
    void told(List<Change> changes, long position);

    /** What happened since the last call and up to this position is not known any more. */
    void lost(long position);

    /** The volume is gone. */
    void end();

    /** There will be no more, for this reason. */
    void failed(CloudMwException failure);
}
