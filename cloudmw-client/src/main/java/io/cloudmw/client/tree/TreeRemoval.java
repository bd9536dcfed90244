package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.Optional;

/**
 * A removal of the files of a volume's directory and of those below it, each by a call that takes effect once, and of the
 * directories that stay when they are empty. The removal is not atomic: readers may see a part of it, and files put meanwhile
 * may be removed or stay. To remove all names at once, rename the directory first.
 *
 * <p>A file that another client removes meanwhile is neither a failure nor counted. An interrupted run can be repeated
 * and continues with the rest.
 */
public final class TreeRemoval extends TreeTask {
    /**
     * @param what a directory, or a file
     * @param options used are the number of files in flight, the dry run and the listener
     * @throws IllegalArgumentException when the path is in a snapshot
     */
    public TreeRemoval(CloudMw client, RemotePath what, TreeOptions options) {
        super(client, what.requireCurrent(), options);
    }

    @Override
    void work() throws CloudMwException, InterruptedException {
        if (isFile()) {
            submit(there().toString(), () -> remove(there()));
            return;
        }
        Calls.await(there().list(client(), "")); // fails where there is none
        removeAll(there());
        settle();
        if (!options().dryRun() && !counters().hasFailures()) {
            removeDirectories(there());
        }
    }

    /** Removes the directories that are left, which stay when they are empty; those below come first. */
    private void removeDirectories(RemotePath directory) throws CloudMwException, InterruptedException {
        walk(directory, entry -> {
            if (entry.version().isEmpty()) {
                removeDirectories(directory.child(entry));
            }
        });
        if (!directory.path().equals("/")) {
            removeIfEmpty(directory);
        }
    }

    private boolean isFile() throws CloudMwException {
        Optional<FileStatus> found =
                there().path().equals("/") ? Optional.empty() : Calls.find(there().stat(client()), ErrorCode.NOT_FOUND);
        return found.isPresent();
    }

    private void removeAll(RemotePath directory) throws CloudMwException, InterruptedException {
        walk(directory, entry -> {
            RemotePath path = directory.child(entry);
            if (entry.version().isEmpty()) {
                removeAll(path);
            } else {
                submit(path.toString(), () -> remove(path));
            }
        });
    }

    /** A file that no longer exists need not be removed. */
    @Override
    boolean isFailure(CloudMwException why) {
        return why.code() != ErrorCode.NOT_FOUND;
    }
}
