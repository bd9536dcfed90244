package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.cli.cluster.PeerCommand;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class PeerCommandTest {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path directory;

    @Test
    void peerWithoutRoomForAChunkDoesNotServe() throws IOException {
        try (CommandFixture commands = new CommandFixture(2 * MIB, 64 << 10, directory.resolve("nowhere"))) {
            assertThat(commands.run("volume", "create", "near", "--replicas=1", "--peers", "--chunk-size=2MiB"))
                    .isZero();
            assertThat(commands.run(new byte[6 * MIB], false, "put", "-", "near:/f"))
                    .isZero();
            String kept = "--directory=" + directory;
            assertThat(commands.run("peer", "near:/f", "--listen=127.0.0.1:0", kept, "--keep=4KiB"))
                    .isEqualTo(2);
            assertThat(commands.err()).contains("cloudmw: --keep: 4KiB (expected: 1MiB..16TiB)\n");
            assertThat(commands.run("peer", "near:/f", "--listen=127.0.0.1:0", kept, "--keep=1MiB"))
                    .isEqualTo(2);
            assertThat(commands.err())
                    .contains(
                            "cloudmw: --keep: 1MiB (expected: room for a chunk; the cache holds none of 3 chunks, 6MiB)\n");
        }
    }

    @Test
    void peerReportsTheShareOfItsReadsThatItServes() {
        assertThat(new PeerCommand.Held(1, 8 * MIB, 1, 8 * MIB, 64 * MIB)).hasToString("1 chunk (8MiB)");
        assertThat(new PeerCommand.Held(4, 32 * MIB, 4, 32 * MIB, 32 * MIB)).hasToString("4 chunks (32MiB)");
        assertThat(new PeerCommand.Held(1, 8 * MIB, 4, 32 * MIB, 9 * MIB))
                .hasToString("1 of 4 chunks (8MiB of 32MiB): --keep is too small for the rest");
        // The cache has room, but holds fewer chunks: the disk was full, or two files share a chunk.
        assertThat(new PeerCommand.Held(3, 24 * MIB, 4, 32 * MIB, 64 * MIB))
                .hasToString("3 of 4 chunks (24MiB of 32MiB)");
    }
}
