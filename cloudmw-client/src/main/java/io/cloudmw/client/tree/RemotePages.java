package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Reads directories of a volume page by page. */
final class RemotePages {
    private static final int LIMIT = 1000;

    private RemotePages() {}

    /** Blocks. */
    static Page<FileEntry> next(CloudMw client, RemoteDirectory directory, String token) throws CloudMwException {
        return await(directory.toString(), client.list(directory.volume(), directory.path(), token, LIMIT));
    }

    /** Blocks; what fails says itself why. */
    static <T> T await(String what, CompletableFuture<T> call) throws CloudMwException {
        try {
            return call.join();
        } catch (CancellationException e) {
            throw new CloudMwException(ErrorCode.CANCELLED, what + ": cancelled", e);
        } catch (CompletionException e) {
            if (e.getCause() instanceof CloudMwException known) {
                throw known;
            }
            throw new CloudMwException(ErrorCode.INTERNAL, "unexpected: " + e.getCause(), e);
        }
    }

    /** A name that leads nowhere else. */
    static String name(RemoteDirectory directory, FileEntry entry) throws CloudMwException {
        try {
            return directory.file(entry.name()).name().equals(entry.name()) ? entry.name() : refused(directory, entry);
        } catch (IllegalArgumentException e) {
            return refused(directory, entry);
        }
    }

    private static String refused(RemoteDirectory directory, FileEntry entry) throws CloudMwException {
        throw new CloudMwException(
                ErrorCode.PROTOCOL_VIOLATION, directory + ": lists \"" + entry.name() + "\", which is no name");
    }
}
