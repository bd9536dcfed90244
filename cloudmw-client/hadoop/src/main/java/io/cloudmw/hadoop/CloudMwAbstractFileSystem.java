package io.cloudmw.hadoop;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;

/**
 * The file system for {@code FileContext}: {@code fs.AbstractFileSystem.cloudmw.impl} names this class. Safe for any
 * thread.
 */
public final class CloudMwAbstractFileSystem extends DelegateToFileSystem {
    /**
     * Makes the file system of a URI. Hadoop calls this.
     *
     * @throws IOException when the settings are wrong
     */
    public CloudMwAbstractFileSystem(URI uri, Configuration configuration) throws IOException, URISyntaxException {
        super(uri, new CloudMwFileSystem(), configuration, CloudMwFileSystem.SCHEME, false);
    }

    /** None: a URI without a port names the default coordinators, or is not valid. */
    @Override
    public int getUriDefaultPort() {
        return -1;
    }
}
