package io.cloudmw.core.bulk.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.security.TransferToken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BulkRequestTest {
    private static final VersionId VERSION = new VersionId("0123456789abcdef0123456789abcdef");
    private static final ChunkId CHUNK = new ChunkId(VERSION, 7);
    private static final TransferToken TOKEN = TransferToken.of(new byte[] {1, 2, 3});
    private static final Store DISK =
            new Store(new StoreId("disk-1"), "a", new Store.Disk(new HelperId("h1"), Path.of("/data")));

    @Test
    void requestsAreReadAsTheyWereWritten() throws CloudMwException {
        List<BulkRequest> requests = List.of(
                new BulkRequest.Read(
                        TOKEN, DISK.id(), CHUNK, new ByteRange(4096, 100), Urgency.of(Priority.INTERACTIVE)),
                new BulkRequest.Read(
                        TOKEN,
                        DISK.id(),
                        CHUNK,
                        new ByteRange(0, 1),
                        new Urgency(Priority.BATCH, Optional.of(Duration.ofSeconds(7)))),
                write(1000, 256),
                new BulkRequest.Relay("0123456789abcdef0123456789abcdef", new BlockId(3), new RacerId(5), DISK.id()));
        for (BulkRequest request : requests) {
            assertThat(BulkRequest.decode(request.encode())).isEqualTo(request);
        }
    }

    @Test
    void malformedRequestsAreProtocolViolations() {
        assertThatThrownBy(() -> BulkRequest.decode(new byte[0]))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION));
        assertThatThrownBy(() -> BulkRequest.decode(new byte[] {-1, -1, -1}))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION));
    }

    @Test
    void aWriteOfTooManyLeavesIsRefused() {
        assertThatThrownBy(() -> write(1 << 30, 4096)).isInstanceOf(IllegalArgumentException.class);
        assertThat(write(1 << 30, 1 << 18).encode()).isNotEmpty();
    }

    @Test
    void endsOfWritesAreReadAsTheyWereWritten() throws CloudMwException {
        assertThat(WriteEnd.decode(WriteEnd.encode(new int[] {1, -1, 0}))).containsExactly(1, -1, 0);
        WriteResult result = new WriteResult(List.of(DISK.id()), List.of(new StoreId("b")));
        assertThat(WriteResult.decode(result.encode())).isEqualTo(result);
    }

    private static BulkRequest.Write write(long length, int leafSize) {
        return new BulkRequest.Write(
                TOKEN,
                CHUNK,
                length,
                leafSize,
                new WriteTargets(
                        List.of(DISK),
                        List.of(new HelperAddress(new HelperId("h1"), "127.0.0.1:1", "127.0.0.1:2")),
                        Map.of(new StoreId("b"), new HelperId("h1"))),
                1,
                FilePath.parse("v:/a"),
                VERSION);
    }

    @Test
    void requestsBetweenSwitchesAreReadAsTheyWereWritten() throws CloudMwException {
        BulkRequest.Shared shared = shared(2, 1);
        assertThat(BulkRequest.decode(shared.encode())).isEqualTo(shared);
        assertThat(shared.replica()).isEqualTo(new StoreId("b"));
        assertThatThrownBy(() -> shared(2, 2)).hasMessageContaining("height: 2 (expected: 0..1)");
        assertThatThrownBy(() -> shared(3, 0)).hasMessageContaining("tree: 3 (expected: 1..2)");
    }

    @Test
    void aSwitchNamesNoMoreOthersThanAPlanDoes() {
        assertThat(shared(32, 31, helpers(48)).helpers()).hasSize(48);
        assertThatThrownBy(() -> shared(32, 31, helpers(49))).hasMessageContaining("helpers: 49 (expected: <= 48)");
        assertThatThrownBy(() -> shared(33, 0, helpers(48))).hasMessageContaining("tree: 33 (expected: 1..32)");
        assertThatThrownBy(() -> shared(2, 1, helpers(2), 16)).hasMessageContaining("share: 16 (expected: 0..15)");
    }

    private static List<HelperAddress> helpers(int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> new HelperAddress(new HelperId("h" + index), "127.0.0.1:1", "127.0.0.1:2"))
                .toList();
    }

    private static BulkRequest.Shared shared(int tree, int height) {
        HelperAddress first = new HelperAddress(
                new HelperId("h1"), "127.0.0.1:1", "127.0.0.1:2", VolumeSet.NONE, Location.parse("a/b"));
        HelperAddress second = new HelperAddress(new HelperId("h2"), "127.0.0.1:3", "127.0.0.1:4");
        return shared(tree, height, List.of(first, second));
    }

    private static BulkRequest.Shared shared(int tree, int height, List<HelperAddress> helpers) {
        return shared(tree, height, helpers, 15);
    }

    private static BulkRequest.Shared shared(int tree, int height, List<HelperAddress> helpers, int share) {
        Block block = new Block(
                new BlockId(0), 7, new ByteRange(512, 300), 2, List.of(new Entrant(new RacerId(0), 1)), BlockRule.SOLE);
        return new BulkRequest.Shared(
                TOKEN,
                new IssuedBlock(block, CHUNK, 812, 256, new int[] {1, -2}, List.of(DISK.id(), new StoreId("b")), true),
                List.of(DISK),
                helpers,
                tree,
                height,
                new Urgency(Priority.PREFETCH, Optional.of(Duration.ofMillis(700))),
                true,
                false,
                share);
    }
}
