package io.cloudmw.client.tree;

import io.cloudmw.core.error.CloudMwException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The small files that a run has found, in batches that are copied together. Confined to the walking thread. */
final class SmallFileBatches<F> {
    /** The files that are looked up in one call. */
    private static final int MOST = 1000;

    private final TreeTask task;
    private final Function<List<F>, CompletableFuture<?>> copy;
    private final List<F> found = new ArrayList<>();

    /** @param copy copies a batch; the failure of its future is that of the whole batch */
    SmallFileBatches(TreeTask task, Function<List<F>, CompletableFuture<?>> copy) {
        this.task = task;
        this.copy = copy;
    }

    /** Adds a file; submits a batch that is full. */
    void add(F file) throws CloudMwException, InterruptedException {
        found.add(file);
        if (found.size() == MOST) {
            submit();
        }
    }

    /** Submits the files that are left. */
    void submit() throws CloudMwException, InterruptedException {
        if (found.isEmpty()) {
            return;
        }
        List<F> batch = List.copyOf(found);
        found.clear();
        task.submit(batch.size() + " small files", () -> copy.apply(batch));
    }
}
