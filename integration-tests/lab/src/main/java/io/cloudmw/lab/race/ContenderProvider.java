package io.cloudmw.lab.race;

import java.util.List;

/**
 * A provider of contenders other than CloudMW's modes, such as other libraries. {@link java.util.ServiceLoader} finds
 * implementations, so that the command needs none of those libraries.
 */
public interface ContenderProvider {
    /**
     * Prepares contenders on an S3 endpoint: uploads the files and creates clients.
     *
     * @param endpoint {@code http://host:port}, path style; not slowed yet
     * @param bucket an existing bucket that nothing else uses
     */
    List<Contender> open(String endpoint, String bucket, List<LabFile> files) throws Exception;
}
