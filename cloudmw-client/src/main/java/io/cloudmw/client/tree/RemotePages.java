package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;

/** Reads directories of a volume page by page. */
final class RemotePages {
    private static final int LIMIT = 1000;

    private RemotePages() {}

    /** Blocks. */
    static Page<FileEntry> next(CloudMw client, RemoteDirectory directory, String token) throws CloudMwException {
        return Calls.await(client.list(directory.volume(), directory.path(), token, LIMIT));
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
