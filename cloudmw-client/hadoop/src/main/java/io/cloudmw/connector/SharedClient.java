package io.cloudmw.connector;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.FileOperations;
import io.cloudmw.client.channel.FileChannels;
import java.lang.ref.Cleaner.Cleanable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A use of a client that {@link SharedClients} keeps. Files that are open need it, so they refer to it. */
public final class SharedClient implements AutoCloseable {
    private final CloudMw client;
    private final FileChannels channels;
    private @Nullable Cleanable end;

    SharedClient(CloudMw client, FileChannels channels) {
        this.client = client;
        this.channels = channels;
    }

    /** Called once, before anything else sees this. */
    void closeBy(Cleanable cleanable) {
        end = cleanable;
    }

    /** The client, which the caller does not close. */
    public CloudMw client() {
        return client;
    }

    /** The operations on files. */
    public FileOperations files() {
        return client.files();
    }

    /** The streams and channels, which the caller does not close. */
    public FileChannels channels() {
        return channels;
    }

    /** Ends this use. With the last use of the client, the client is closed, and its calls and streams fail. Idempotent. */
    @Override
    public void close() {
        Objects.requireNonNull(end).clean();
    }
}
