package io.cloudmw.coordinator.watch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.file.Change;
import java.util.List;

/**
 * The receiver of a watcher's messages. Methods are called one at a time, none after {@link #end} or {@link #failed};
 * none may block.
 */
public interface WatchSink {
    /** Returns whether it accepts more now; when it does so again, its owner calls {@link Watcher#wake}. */
    boolean isReady();

    /**
     * Receives changes, in order.
     *
     * @param changes may be empty
     * @param position the position up to which there are no other changes
     */
    void told(List<Change> changes, long position);

    /** Receives that the changes since the last call up to this position were lost from the log. */
    void lost(long position);

    /** Receives that the volume was deleted. */
    void end();

    /** Receives that the watch ended with this failure. */
    void failed(CloudMwException failure);
}
