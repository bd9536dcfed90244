package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.channel.FileChannels;

/**
 * The client of a file system, and its streams. Safe for any thread.
 *
 * @param client closed with this
 * @param channels closed with this
 */
public record ClusterConnection(CloudMw client, FileChannels channels) implements AutoCloseable {
    @Override
    public void close() {
        channels.close();
        client.close();
    }
}
