package io.cloudmw.hadoop.contract;

import io.cloudmw.hadoop.HadoopCluster;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** The contract of a volume: what suites may expect is in {@code contract/cloudmw.xml}. */
public final class VolumeContract extends AbstractFSContract {
    /** The volume of the suites. */
    public static final URI ROOT =
            URI.create("cloudmw://contract@" + HadoopCluster.shared().coordinatorAddress());

    VolumeContract(Configuration configuration) {
        super(configuration);
        addConfResource("contract/cloudmw.xml");
    }

    @Override
    public FileSystem getTestFileSystem() throws IOException {
        return FileSystem.get(ROOT, getConf());
    }

    @Override
    public String getScheme() {
        return "cloudmw";
    }

    @Override
    public Path getTestPath() {
        return new Path("/test").makeQualified(ROOT, null);
    }
}
