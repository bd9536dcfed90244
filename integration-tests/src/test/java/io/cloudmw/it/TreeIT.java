package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.client.tree.TreeCopy;
import io.cloudmw.client.tree.TreeListener;
import io.cloudmw.client.tree.TreeOptions;
import io.cloudmw.client.tree.TreeReport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of copies of a directory to a volume or directory that does not exist. */
final class TreeIT {
    @TempDir
    private Path directory;

    private final List<String> failures = new ArrayList<>();

    private TreeOptions options(boolean dryRun) {
        TreeListener listener = new TreeListener() {
            @Override
            public void failed(String file, CloudMwException why) {
                failures.add(file + ": " + why.getMessage());
            }
        };
        return new TreeOptions(1, true, dryRun, false, false, PutOptions.defaults(), GetOptions.defaults(), listener);
    }

    private Path source() throws IOException {
        Path source = Files.createDirectory(directory.resolve("source"));
        for (int i = 0; i < 5; i++) {
            Files.write(source.resolve("f" + i), new byte[i]);
        }
        return source;
    }

    @Test
    void dryRunWithDeletionNeedsNoExistingDirectory() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "");
                CloudMw client = CloudMw.connect(fleet.coordinatorAddress())) {
            VolumeName volume = fleet.volume("v", Fleet.disks(1));
            RemotePath target = new RemotePath(volume, Optional.empty(), "/new/one");
            TreeReport report =
                    TreeCopy.upload(client, source(), target, options(true)).run();
            assertThat(report.copied()).isEqualTo(5);
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void copyToAMissingVolumeFailsOnce() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "");
                CloudMw client = CloudMw.connect(fleet.coordinatorAddress())) {
            TreeCopy copy = TreeCopy.upload(client, source(), RemotePath.directory("none:/"), options(false));
            assertThatExceptionOfType(CloudMwException.class)
                    .isThrownBy(copy::run)
                    .extracting(CloudMwException::code)
                    .isEqualTo(ErrorCode.VOLUME_NOT_FOUND);
            assertThat(failures).isEmpty();
        }
    }
}
