package io.cloudmw.iceberg.prefix;

import io.cloudmw.client.FileOperations;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.connector.CallResults;
import io.cloudmw.connector.SharedClient;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.iceberg.file.FileLocation;
import io.cloudmw.iceberg.file.IcebergErrors;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.apache.iceberg.io.FileInfo;
import org.jspecify.annotations.Nullable;

/**
 * The files in a directory, at any depth, or a file alone. A page is looked up when it is needed, so that memory does not
 * depend on the number of files. Files that are put or removed meanwhile may be listed or not. An iterator is for one
 * thread; each one lists anew.
 */
public final class PrefixListing implements Iterable<FileInfo> {
    /** The largest number of entries of a page. */
    public static final int LARGEST_PAGE = 1000;

    private static final Page<FileEntry> NONE = new Page<>(List.of(), "");

    private final SharedClient client;
    private final FileLocation prefix;
    private final int pageSize;

    /**
     * @param client not closed with this
     * @param pageSize entries of a page, 1 to {@value #LARGEST_PAGE}
     */
    public PrefixListing(SharedClient client, FileLocation prefix, int pageSize) {
        this.client = client;
        this.prefix = prefix;
        this.pageSize = pageSize;
    }

    /** Starts a listing; the first page is looked up now. A prefix that names nothing has no files. */
    @Override
    public Iterator<FileInfo> iterator() {
        Optional<Page<FileEntry>> first = page(prefix.path(), "");
        return first.isPresent()
                ? new Files(new OpenDirectory(prefix.path(), first.get()))
                : alone().stream().iterator();
    }

    private FileOperations operations() {
        return client.files();
    }

    private Optional<FileInfo> alone() {
        FilePath file = prefix.file();
        try {
            return CallResults.find(operations().stat(file)).map(status -> info(prefix.path(), status.version()));
        } catch (IOException e) {
            throw IcebergErrors.unchecked(prefix, e);
        }
    }

    private FileInfo info(String path, FileVersion version) {
        return new FileInfo(prefix.of(path), version.sizeBytes(), version.committedAtMillis());
    }

    /** A page of a directory; empty: there is no such directory. */
    private Optional<Page<FileEntry>> page(String directory, String token) {
        try {
            return CallResults.find(operations().list(prefix.volume(), directory, token, pageSize));
        } catch (IOException e) {
            throw IcebergErrors.unchecked(prefix.of(directory), e);
        }
    }

    /** Opens a directory that was listed; it has no files when it is gone meanwhile. */
    private OpenDirectory directory(String path) {
        return new OpenDirectory(path, page(path, "").orElse(NONE));
    }

    /** A directory that is listed, page by page. */
    private final class OpenDirectory {
        private final String path;
        private String nextToken;
        private Iterator<FileEntry> entries;

        private OpenDirectory(String path, Page<FileEntry> first) {
            this.path = path;
            this.nextToken = first.nextToken();
            this.entries = first.items().iterator();
        }

        private Optional<FileEntry> next() {
            while (!entries.hasNext() && !nextToken.isEmpty()) {
                Page<FileEntry> page = page(path, nextToken).orElse(NONE);
                nextToken = page.nextToken();
                entries = page.items().iterator();
            }
            return entries.hasNext() ? Optional.of(entries.next()) : Optional.empty();
        }

        private String child(FileEntry entry) {
            return (path.equals("/") ? "" : path) + "/" + entry.name();
        }
    }

    /** The files, directory by directory. */
    private final class Files implements Iterator<FileInfo> {
        private final Deque<OpenDirectory> open = new ArrayDeque<>();
        private @Nullable FileInfo next;

        private Files(OpenDirectory first) {
            open.push(first);
        }

        @Override
        public boolean hasNext() {
            while (next == null && !open.isEmpty()) {
                OpenDirectory directory = open.element();
                Optional<FileEntry> entry = directory.next();
                if (entry.isEmpty()) {
                    open.pop();
                } else {
                    String path = directory.child(entry.get());
                    entry.get()
                            .version()
                            .ifPresentOrElse(version -> next = info(path, version), () -> open.push(directory(path)));
                }
            }
            return next != null;
        }

        @Override
        public FileInfo next() {
            if (!hasNext()) {
                throw new NoSuchElementException("no more files under " + prefix);
            }
            FileInfo file = Objects.requireNonNull(next);
            next = null;
            return file;
        }
    }
}
