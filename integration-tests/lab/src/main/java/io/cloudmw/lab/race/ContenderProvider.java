package io.cloudmw.lab.race;

import java.util.List;

/**
 * Brings contenders that are no modes, such as other libraries. Found by {@link java.util.ServiceLoader}: the command
 * itself carries none.
 */
public interface ContenderProvider {
    /**
     * Makes its contenders ready on an S3 endpoint: uploads the files, makes clients.
     *
     * @param endpoint {@code http://host:port}, path style; not slowed yet
     * @param bucket exists; shared with nobody else
     */
    List<Contender> open(String endpoint, String bucket, List<LabFile> files) throws Exception;
}
