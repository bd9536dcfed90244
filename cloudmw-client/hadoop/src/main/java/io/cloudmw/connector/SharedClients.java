package io.cloudmw.connector;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.channel.FileChannels;
import java.lang.ref.Cleaner;
import java.util.HashMap;
import java.util.Map;

/**
 * The clients of this process, one for each {@link ClusterOptions}. A client lives while a {@link SharedClient} of it
 * is open. A {@link SharedClient} that was forgotten is closed when nothing refers to it any more.
 */
public final class SharedClients {
    private static final SharedClients PROCESS = new SharedClients();

    private final Cleaner cleaner = Cleaner.create();

    @GuardedBy("this")
    private final Map<ClusterOptions, Connected> connected = new HashMap<>();

    /** A client, and the number of its users. */
    private static final class Connected {
        private final CloudMw client;
        private final FileChannels channels;
        private int users;

        private Connected(ClusterOptions options) {
            client = CloudMw.connect(options.client());
            FileChannels made = null;
            try {
                made = FileChannels.of(client, options.channels());
            } finally {
                if (made == null) {
                    client.close();
                }
            }
            channels = made;
        }

        private void close() {
            channels.close();
            client.close();
        }
    }

    SharedClients() {}

    /** The clients that all file systems and tables of this process share. */
    public static SharedClients ofProcess() {
        return PROCESS;
    }

    /**
     * Returns a client with these options. Nothing is sent.
     *
     * @return the client, which the caller closes
     * @throws IllegalArgumentException when an option is out of its bounds
     */
    public SharedClient take(ClusterOptions options) {
        Connected found;
        synchronized (this) {
            found = connected.computeIfAbsent(options, Connected::new);
            found.users++;
        }
        Release release = new Release(this, options);
        SharedClient taken = new SharedClient(found.client, found.channels);
        taken.closeBy(cleaner.register(taken, release));
        return taken;
    }

    /** The end of a use; must not refer to the {@link SharedClient}. */
    private record Release(SharedClients clients, ClusterOptions options) implements Runnable {
        @Override
        public void run() {
            clients.release(options);
        }
    }

    private void release(ClusterOptions options) {
        Connected ended;
        synchronized (this) {
            Connected used = connected.get(options);
            if (used == null || --used.users > 0) {
                return;
            }
            ended = used;
            connected.remove(options);
        }
        ended.close();
    }

    /** The number of clients that are open. */
    synchronized int size() {
        return connected.size();
    }
}
