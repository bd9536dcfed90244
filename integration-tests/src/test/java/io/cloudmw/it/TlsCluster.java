package io.cloudmw.it;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.standalone.HostedCoordinator;
import io.cloudmw.helper.standalone.HostedHelper;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A coordinator with an authority of its own and two helpers with a disk each, under TLS, in this process. */
final class TlsCluster implements AutoCloseable {
    private final Path directory;
    private final List<Runnable> opened = new ArrayList<>();
    private final HostedCoordinator coordinator;

    private TlsCluster(Path directory, Map<String, String> more) throws Exception {
        this.directory = directory;
        Map<String, String> settings = new HashMap<>(shared());
        settings.put("coordinator.listen", "127.0.0.1:0");
        settings.put("coordinator.http.listen", "127.0.0.1:0");
        settings.put("coordinator.data-dir", directory.resolve("coordinator").toString());
        settings.put("tls.authority", directory.resolve("authority.pem").toString());
        settings.put("tls.admin-token-file", tokenFile().toString());
        settings.putAll(more);
        coordinator = HostedCoordinator.start(settings);
    }

    /** Starts a cluster, whose helpers are registered when this returns. */
    static TlsCluster start(Path directory) throws Exception {
        return start(directory, Map.of());
    }

    /** Starts a cluster with a setting of the coordinator. */
    static TlsCluster start(Path directory, String setting, String value) throws Exception {
        return start(directory, Map.of(setting, value));
    }

    private static TlsCluster start(Path directory, Map<String, String> more) throws Exception {
        TlsCluster cluster = new TlsCluster(directory, more);
        try {
            for (int i = 1; i <= 2; i++) {
                HostedHelper helper = HostedHelper.start(cluster.helper("h" + i), List.of(), DiskOpener.throttling());
                cluster.opened.add(helper::close);
                helper.requireRegistration(Duration.ofSeconds(30));
            }
            return cluster;
        } catch (Exception | Error e) {
            cluster.close();
            throw e;
        }
    }

    String address() {
        return coordinator.address().toString();
    }

    /** The address of the web page. */
    URI page() {
        return URI.create("http://" + coordinator.http().orElseThrow());
    }

    /** The file of the administrator's token. */
    Path tokenFile() {
        return directory.resolve("admin.token");
    }

    private Map<String, String> shared() {
        return Map.of(
                "tls.insecure",
                "false",
                "cluster.secret-file",
                directory.resolve("cluster.secret").toString());
    }

    /** The settings of a helper of this cluster with one disk. */
    Map<String, String> helper(String id) {
        Map<String, String> settings = new HashMap<>(shared());
        settings.put("helper.id", id);
        settings.put("helper.coordinator", address());
        settings.put("helper.control.listen", "127.0.0.1:0");
        settings.put("helper.bulk.listen", "127.0.0.1:0");
        settings.put("helper.spool.dir", directory.resolve(id + "-spool").toString());
        settings.put(
                "helper.disk.d-" + id + ".path", directory.resolve(id + "-disk").toString());
        return settings;
    }

    /** Connects a client, which is closed with the cluster. */
    CloudMw client(ClientSecurity security) {
        CloudMw client = CloudMw.connect(CloudMwOptions.of(address())
                .withCoordinatorTimeout(Duration.ofSeconds(20))
                .withSecurity(security));
        opened.add(0, client::close);
        return client;
    }

    /** Connects a client of the administrator. */
    CloudMw admin() {
        return client(ClientSecurity.tokenFile(tokenFile()));
    }

    /** Creates a volume with a copy on the disk of each helper. */
    void createVolume(CloudMw client, VolumeName name, Mode mode) {
        client.volumes()
                .create(new Volume(
                        name,
                        new Chunking.BySize(2 << 20),
                        2,
                        List.of(new StoreId("d-h1"), new StoreId("d-h2")),
                        2,
                        mode,
                        false,
                        0))
                .join();
    }

    /** The code with which a call fails. */
    static ErrorCode refusal(CompletableFuture<?> call) {
        CompletionException failure = catchThrowableOfType(CompletionException.class, call::join);
        return ((CloudMwException) Objects.requireNonNull(failure.getCause())).code();
    }

    @Override
    public void close() {
        opened.forEach(Runnable::run);
        coordinator.close();
    }
}
