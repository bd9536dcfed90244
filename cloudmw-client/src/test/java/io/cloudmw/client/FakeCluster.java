package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** A fake cluster: a coordinator, a helper with one disk that only it can reach, and a client. */
public final class FakeCluster implements AutoCloseable {
    private final FakeCoordinator coordinator;
    private final FakeHelper helper;
    private final CloudMw client;

    /**
     * Starts the cluster.
     *
     * @param unreachable a path where nothing is
     * @param memoryBytes of the client
     */
    public FakeCluster(long chunkBytes, int leafBytes, FakeHelper.Script script, Path unreachable, long memoryBytes)
            throws IOException {
        coordinator = new FakeCoordinator(chunkBytes, leafBytes);
        client = CloudMw.connect(CloudMwOptions.of(coordinator.address()).withMemory(memoryBytes, 4L << 20));
        helper = new FakeHelper("h", script, new ConcurrentHashMap<>());
        coordinator.add(helper.address());
        coordinator.add(new Store(new StoreId("s"), "d", new Store.Disk(new HelperId("h"), unreachable)));
    }

    public FakeCoordinator coordinator() {
        return coordinator;
    }

    public FakeHelper helper() {
        return helper;
    }

    public CloudMw client() {
        return client;
    }

    /** Bytes that differ from those of other seeds. */
    public static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Puts such bytes. */
    public byte[] put(FilePath file, int length, long seed) throws Exception {
        byte[] content = bytes(length, seed);
        client.files()
                .put(new ByteArrayInputStream(content), file, PutOptions.defaults())
                .get(60, SECONDS);
        return content;
    }

    @Override
    public void close() {
        client.close();
        helper.close();
        coordinator.close();
    }
}
