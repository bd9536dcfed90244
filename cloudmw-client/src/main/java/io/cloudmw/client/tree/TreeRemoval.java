package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.Optional;

/**
 * Removes the files of a directory of a volume, and of those below it, each by a call of its own, which takes effect once;
 * directories go with the last file in them. It is not one step: what is seen meanwhile is a part of it, and what is put
 * there meanwhile may be removed or stay. Whoever wants all names to be gone at once renames the directory first.
 *
 * <p>A file that somebody else removes meanwhile is no failure, and not counted. A run that was stopped is repeated, and goes
 * on with what is left.
 */
public final class TreeRemoval extends TreeTask {
    /**
     * Begins nothing yet.
     *
     * @param what a directory, or a file
     * @param options of which how many at once, whether it is only talked about, and the listener count
     * @throws IllegalArgumentException when it is in a snapshot
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
        Calls.await(there().list(client(), "")); // says so where there is none
        removeAll(there());
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

    /** What is not there any more need not be removed. */
    @Override
    boolean isFailure(CloudMwException why) {
        return why.code() != ErrorCode.NOT_FOUND;
    }
}
