package io.cloudmw.hadoop.volume;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.RemoteIterator;
import org.jspecify.annotations.Nullable;

/** The entries of a directory, listed page by page while they are iterated. For one thread. */
final class StatusPages implements RemoteIterator<CloudMwFileStatus> {
    private final Source source;
    private Iterator<CloudMwFileStatus> page;
    private @Nullable String token;

    /** A page of a directory. */
    record StatusPage(List<CloudMwFileStatus> entries, String nextToken) {}

    /** The source of the pages after the first. */
    @FunctionalInterface
    interface Source {
        /**
         * Fetches a page.
         *
         * @param token from the page before; empty: the first page
         */
        StatusPage page(String token) throws IOException;
    }

    StatusPages(StatusPage first, Source source) {
        this.source = source;
        this.page = first.entries().iterator();
        this.token = next(first);
    }

    private static @Nullable String next(StatusPage page) {
        return page.nextToken().isEmpty() ? null : page.nextToken();
    }

    @Override
    public boolean hasNext() throws IOException {
        while (!page.hasNext()) {
            String from = token;
            if (from == null) {
                return false;
            }
            StatusPage fetched = source.page(from);
            page = fetched.entries().iterator();
            token = next(fetched);
        }
        return true;
    }

    @Override
    public CloudMwFileStatus next() throws IOException {
        if (!hasNext()) {
            throw new NoSuchElementException("the listing has ended");
        }
        return page.next();
    }
}
