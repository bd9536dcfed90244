package io.cloudmw.client.context;

import io.cloudmw.client.rpc.link.HelperLinks;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The client's connections to helpers, opened when the first transfer needs one. Safe for any thread. */
public final class SharedLinks implements AutoCloseable {
    private final Supplier<HelperLinks> maker;
    private @Nullable HelperLinks links;

    SharedLinks(Supplier<HelperLinks> maker) {
        this.maker = maker;
    }

    /** The connections, opened now if they are not yet. */
    public synchronized HelperLinks get() {
        if (links == null) {
            links = maker.get();
        }
        return links;
    }

    /** Closes them if they were opened. Idempotent. */
    @Override
    public synchronized void close() {
        if (links != null) {
            links.close();
        }
    }
}
