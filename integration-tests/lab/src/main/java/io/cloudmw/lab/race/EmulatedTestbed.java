package io.cloudmw.lab.race;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.lab.fleet.CloseStack;
import io.cloudmw.lab.fleet.GeneratedFile;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.WorkingDirectory;
import io.cloudmw.lab.s3.Traffic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;

/**
 * A testbed of the lab's own processes on emulated stores. Peers, which are other libraries, read from the first store.
 */
public final class EmulatedTestbed implements Testbed {
    private static final VolumeName VOLUME = new VolumeName("lab");
    private static final Map<String, String> ANY_CREDENTIALS =
            Map.of("AWS_ACCESS_KEY_ID", "lab", "AWS_SECRET_ACCESS_KEY", "laboratory");

    private final LabSettings settings;
    private final CloseStack closing;
    private final List<Contender> contenders = new ArrayList<>();
    private final List<LabFile> files = new ArrayList<>();
    private final EmulatedStores stores;

    private EmulatedTestbed(LabSettings settings, EmulatedStores stores, CloseStack closing) {
        this.settings = settings;
        this.stores = stores;
        this.closing = closing;
    }

    /**
     * Starts all processes and writes the files.
     *
     * @param endpoint of S3, with credentials in the environment; empty: the lab starts its own
     * @param closing closes all that this opens, also when this fails or is interrupted
     */
    public static EmulatedTestbed open(
            LabSettings settings, Optional<String> endpoint, Path launcher, CloseStack closing) throws Exception {
        List<ContenderProvider> peers = settings.peers() ? providers() : List.of();
        WorkingDirectory directory = closing.open(() -> WorkingDirectory.create("cloudmw-lab-"));
        EmulatedStores stores = closing.open(
                () -> new EmulatedStores(settings, endpoint, directory.path().resolve("buckets")));
        EmulatedTestbed testbed = new EmulatedTestbed(settings, stores, closing);
        testbed.start(directory.path(), launcher, endpoint.isPresent() ? Map.of() : ANY_CREDENTIALS);
        testbed.invite(peers);
        return testbed;
    }

    private static List<ContenderProvider> providers() {
        List<ContenderProvider> providers = ServiceLoader.load(ContenderProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        if (providers.isEmpty()) {
            throw new IllegalArgumentException(
                    "--peers: none on the class path (expected: built by ./mvnw -DskipTests package)");
        }
        return providers;
    }

    private void start(Path directory, Path launcher, Map<String, String> environment) throws Exception {
        LocalFleet fleet = closing.open(() -> new LocalFleet(directory.resolve("fleet"), launcher, environment));
        fleet.startCoordinator(Map.of());
        for (int i = 1; i <= settings.layout().helpers(); i++) {
            fleet.startHelper("helper-" + i, Map.of());
        }
        CloudMw client = closing.last(CloudMw.connect(fleet.clientOptions()));
        for (Store store : stores.stores()) {
            client.stores().add(store, true).get();
        }
        client.volumes().create(volume()).get();
        for (int i = 0; i < settings.sizes().size(); i++) {
            files.add(write(client, directory, i));
        }
        for (Mode mode : settings.modes()) {
            CloudMw own = closing.last(CloudMw.connect(fleet.clientOptions()));
            contenders.add(new ModeContender(own, mode));
        }
    }

    /** Lets the peers upload the files; then deletes the source files, which nothing needs any more. */
    private void invite(List<ContenderProvider> peers) throws Exception {
        for (ContenderProvider provider : peers) {
            for (Contender peer : provider.open(stores.endpoint(0), stores.bucket(0), files)) {
                contenders.add(closing.last(peer));
            }
        }
        for (LabFile file : files) {
            Files.delete(file.source());
        }
    }

    private Volume volume() {
        return new Volume(
                VOLUME,
                settings.layout().chunking(),
                settings.layout().replicas(),
                stores.stores().stream().map(Store::id).toList(),
                settings.layout().replicas(),
                Mode.ROUNDS,
                false,
                0);
    }

    private LabFile write(CloudMw client, Path directory, int index)
            throws IOException, InterruptedException, ExecutionException {
        long bytes = settings.sizes().get(index);
        Path source = directory.resolve("source-" + index);
        GeneratedFile.generate(source, bytes, settings.seed() + index);
        FilePath path = new FilePath(VOLUME, "/file-" + index);
        client.files().put(source, path, PutOptions.defaults()).get();
        return new LabFile(path, "file-" + index, source, bytes);
    }

    @Override
    public List<Contender> contenders() {
        return List.copyOf(contenders);
    }

    @Override
    public List<LabFile> files() {
        return List.copyOf(files);
    }

    @Override
    public void begin(int run, Contender contender) {
        stores.begin(run, !contender.usesDestination());
    }

    @Override
    public void beginUnshaped() {
        stores.beginUnshaped();
    }

    @Override
    public Traffic end() {
        return stores.end();
    }

    @Override
    public void close() {
        closing.close();
    }
}
