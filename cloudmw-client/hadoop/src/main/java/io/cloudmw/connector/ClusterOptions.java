package io.cloudmw.connector;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.fleet.Location;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of a client that is shared. Equal options have one client. Immutable.
 *
 * @param coordinators {@code host:port[,host:port]}
 * @param coordinatorTimeout largest time of one call while no coordinator answers
 * @param location place of this process
 * @param path by which reads get their bytes
 * @param memoryBytes largest number of bytes that all reads have in flight
 * @param memoryPerReadBytes largest number of bytes that one read has in flight
 * @param readAheadBytes largest number of bytes that are read ahead, and kept, for all streams together
 * @param streams largest number of files that are stored at once while an application writes them
 * @param security the way in which the client shows for whom it acts
 */
public record ClusterOptions(
        String coordinators,
        Duration coordinatorTimeout,
        Location location,
        ReadPath path,
        long memoryBytes,
        long memoryPerReadBytes,
        long readAheadBytes,
        int streams,
        ClientSecurity security) {
    /**
     * The security of settings.
     *
     * @param tokenFile the file of a token; empty: none
     * @param insecure whether connections are in plain text
     */
    public static ClientSecurity security(String tokenFile, boolean insecure) {
        if (insecure) {
            return ClientSecurity.insecure();
        }
        return tokenFile.isEmpty() ? ClientSecurity.byDefault() : ClientSecurity.tokenFile(Path.of(tokenFile));
    }

    /** The options of the client. */
    CloudMwOptions client() {
        return CloudMwOptions.of(coordinators)
                .withCoordinatorTimeout(coordinatorTimeout)
                .withLocation(location)
                .withPath(path)
                .withSecurity(security)
                .withMemory(memoryBytes, Math.min(memoryBytes, memoryPerReadBytes));
    }

    /** The options of the streams. */
    ChannelOptions channels() {
        return ChannelOptions.defaults().withMemory(readAheadBytes).withStreams(streams);
    }
}
