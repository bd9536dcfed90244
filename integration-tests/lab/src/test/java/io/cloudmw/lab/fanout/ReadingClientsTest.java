package io.cloudmw.lab.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class ReadingClientsTest {
    private static final FilePath FILE = FilePath.parse("lab:/set-0");
    private static final int LEAF = 64 << 10;
    private static final int SIZE = 3 * (1 << 20) + 17;

    @TempDir
    private Path directory;

    /** Returns the answer of a client that reads a whole file through a helper with this script. */
    private Map<String, ?> read(FakeHelper.Script script) throws Exception {
        List<Map<String, ?>> said = new CopyOnWriteArrayList<>();
        try (FakeCluster cluster = new FakeCluster(1 << 20, LEAF, script, directory, 8 << 20)) {
            byte[] unused = cluster.put(FILE, SIZE, 1);
            // Not closed, since that would close the cluster's client.
            ReadingClients clients = new ReadingClients(1, number -> cluster.client(), said::add);
            JsonNode order =
                    new ObjectMapper().valueToTree(Map.of("do", "read", "path", FILE.toString(), "bytes", SIZE));
            clients.obey(order);
        }
        assertThat(said).hasSize(2);
        assertThat(said.get(0)).isEqualTo(Map.of("half", true));
        return said.get(1);
    }

    @Test
    void firstReadIsNotCountedAsRepeated() throws Exception {
        Map<String, ?> answer = read(FakeHelper.Script.SERVE);
        assertThat(answer.get("failures")).isEqualTo(List.of());
        assertThat(answer.get("repeated_bytes")).isEqualTo(0L);
        assertThat(answer.get("rewritten_bytes")).isEqualTo(0L);
    }

    /** The first copy of the second leaf is corrupt, so the leaf is read twice; the application gets it once. */
    @Test
    void repeatedReadIsCounted() throws Exception {
        Map<String, ?> answer = read(FakeHelper.Script.DAMAGED_ON_THE_WAY);
        assertThat(answer.get("failures")).isEqualTo(List.of());
        assertThat((Long) answer.get("repeated_bytes")).isBetween((long) LEAF, (long) SIZE);
        assertThat(answer.get("rewritten_bytes")).isEqualTo(0L);
    }
}
