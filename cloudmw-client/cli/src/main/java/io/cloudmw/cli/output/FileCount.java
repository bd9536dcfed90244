package io.cloudmw.cli.output;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * A count of the files of a volume, as exact as a confirmation needs.
 *
 * @param all false when there are more files than were counted
 */
public record FileCount(long files, boolean all) {
    private static final int PAGE = 1000;
    private static final int MOST_PAGES = 100;

    /** Lists directories until the end, or until a hundred pages were read. */
    public static FileCount of(CloudMw client, VolumeName volume) throws Exception {
        Deque<String> directories = new ArrayDeque<>();
        directories.add("/");
        long files = 0;
        String directory = "/";
        String token = "";
        for (int pages = 0; pages < MOST_PAGES; pages++) {
            if (token.isEmpty()) {
                if (directories.isEmpty()) {
                    return new FileCount(files, true);
                }
                directory = directories.remove();
            }
            Page<FileEntry> page = Calls.await(client.files().list(volume, directory, token, PAGE));
            for (FileEntry entry : page.items()) {
                if (entry.version().isPresent()) {
                    files++;
                } else {
                    directories.add((directory.equals("/") ? "" : directory) + "/" + entry.name());
                }
            }
            token = page.nextToken();
        }
        return new FileCount(files, token.isEmpty() && directories.isEmpty());
    }

    public boolean isNone() {
        return files == 0 && all;
    }

    /** Like {@code 1,204 files}. */
    @Override
    public String toString() {
        String counted = String.format(Locale.ROOT, "%,d %s", files, files == 1 ? "file" : "files");
        return all ? counted : "more than " + counted;
    }
}
