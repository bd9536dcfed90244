package io.cloudmw.iceberg.prefix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.PutOptions;
import io.cloudmw.connector.ClusterOptions;
import io.cloudmw.connector.SharedClient;
import io.cloudmw.connector.SharedClients;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.iceberg.file.FileLocation;
import io.cloudmw.testkit.CloudMwCluster;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import org.apache.iceberg.io.FileInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class PrefixListingTest {
    @RegisterExtension
    static final CloudMwCluster CLUSTER =
            CloudMwCluster.builder().helpers(1).volume("lake").build();

    private static SharedClient client() {
        return SharedClients.ofProcess()
                .take(new ClusterOptions(
                        CLUSTER.coordinatorAddress(),
                        Duration.ofSeconds(30),
                        Location.NONE,
                        ReadPath.AUTO,
                        8 << 20,
                        4 << 20,
                        1 << 20,
                        1,
                        ClientSecurity.byDefault()));
    }

    private static CompletableFuture<?> put(String path) {
        return CLUSTER.client()
                .files()
                .put(new ByteArrayInputStream(new byte[1]), FilePath.parse("lake:" + path), PutOptions.defaults());
    }

    @Test
    void filesOfAllPagesAreListed() {
        List<String> files = new ArrayList<>();
        for (int directory = 10; directory < 14; directory++) {
            for (int file = 10; file < 21; file++) {
                files.add("/t/" + directory + "/" + file);
            }
        }
        files.add("/t/20");
        files.add("/t/21");
        CompletableFuture.allOf(files.stream().map(PrefixListingTest::put).toArray(CompletableFuture<?>[]::new))
                .join();
        FileLocation prefix = FileLocation.parse("cloudmw://h:1/lake/t");
        try (SharedClient client = client()) {
            for (int pageSize : List.of(1, 3, 11, 1000)) {
                List<String> listed = new ArrayList<>();
                new PrefixListing(client, prefix, pageSize).forEach(file -> listed.add(file.location()));
                assertThat(listed).as("page size %s", pageSize).hasSameSizeAs(files);
                for (int i = 0; i < files.size(); i++) {
                    assertThat(listed.get(i)).isEqualTo("cloudmw://h:1/lake" + files.get(i));
                }
            }
            Iterator<FileInfo> none =
                    new PrefixListing(client, FileLocation.parse("cloudmw:///lake/none"), 2).iterator();
            assertThat(none.hasNext()).isFalse();
            assertThatThrownBy(none::next).isInstanceOf(NoSuchElementException.class);
        }
    }
}
