package io.cloudmw.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The README's example of a test with a cluster. */
final class ClusterExampleTest {
    // README
    @RegisterExtension
    static CloudMwCluster cluster =
            CloudMwCluster.builder().helpers(3).volume("data").build();

    @Test
    void reportsAreReadWithoutAHelper() throws IOException {
        Path report = cluster.path("data", "/report");
        Files.writeString(report, "42");
        cluster.helper(1).kill();
        assertEquals("42", Files.readString(report));
    }
    // README
}
