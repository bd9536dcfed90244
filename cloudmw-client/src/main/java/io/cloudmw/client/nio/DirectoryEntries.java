package io.cloudmw.client.nio;

import io.cloudmw.client.file.FileEntry;
import io.cloudmw.core.model.Page;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** The entries of a directory, listed page by page while they are iterated. Its iterator is for one thread. */
final class DirectoryEntries implements DirectoryStream<Path> {
    private final VolumePath directory;
    private final Filter<? super Path> filter;
    private boolean iterated;
    private volatile boolean closed;

    DirectoryEntries(VolumePath directory, Filter<? super Path> filter) {
        this.directory = directory;
        this.filter = filter;
    }

    @Override
    public Iterator<Path> iterator() {
        if (closed || iterated) {
            throw new IllegalStateException(closed ? "the stream is closed" : "the stream was iterated already");
        }
        iterated = true;
        return new Entries();
    }

    @Override
    public void close() {
        closed = true;
    }

    private final class Entries implements Iterator<Path> {
        private Iterator<FileEntry> page = Collections.emptyIterator();
        private @Nullable String token = "";
        private @Nullable Path next;

        @Override
        public boolean hasNext() {
            while (next == null && !closed) {
                if (page.hasNext()) {
                    offer(directory.resolve(
                            directory.getFileSystem().getPath(page.next().name())));
                } else if (!fetch()) {
                    return false;
                }
            }
            return next != null;
        }

        private void offer(Path entry) {
            try {
                if (filter.accept(entry)) {
                    next = entry;
                }
            } catch (IOException e) {
                throw new DirectoryIteratorException(e);
            }
        }

        private boolean fetch() {
            String from = token;
            if (from == null) {
                return false;
            }
            try {
                Page<FileEntry> fetched = directory.getFileSystem().page(directory, from);
                page = fetched.items().iterator();
                token = fetched.nextToken().isEmpty() ? null : fetched.nextToken();
                return true;
            } catch (IOException e) {
                throw new DirectoryIteratorException(e);
            }
        }

        @Override
        public Path next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Path result = next;
            next = null;
            if (result == null) {
                throw new NoSuchElementException();
            }
            return result;
        }
    }
}
