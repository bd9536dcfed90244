package io.cloudmw.hadoop;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.testkit.CloudMwCluster;

/** A cluster in the JVM of the tests, with the volumes {@code contract} and {@code files}. One serves all tests. */
public final class HadoopCluster {
    private HadoopCluster() {}

    private static final class Shared {
        private static final CloudMwCluster CLUSTER = start();
    }

    /** The cluster, which is stopped with the JVM. */
    public static CloudMwCluster shared() {
        return Shared.CLUSTER;
    }

    private static CloudMwCluster start() {
        try {
            CloudMwCluster cluster = CloudMwCluster.builder()
                    .helpers(2)
                    .volume("contract")
                    .volume("files")
                    .build()
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(cluster), "hadoop-cluster-stop"));
            return cluster;
        } catch (CloudMwException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void stop(CloudMwCluster cluster) {
        try {
            cluster.close();
        } catch (CloudMwException e) {
            throw new IllegalStateException(e);
        }
    }
}
