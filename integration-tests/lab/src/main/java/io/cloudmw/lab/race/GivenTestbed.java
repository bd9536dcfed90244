package io.cloudmw.lab.race;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.lab.fleet.CloseStack;
import io.cloudmw.lab.fleet.GeneratedFile;
import io.cloudmw.lab.fleet.WorkingDirectory;
import io.cloudmw.lab.s3.Traffic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A testbed on a volume of a running cluster, whose stores are not slowed. No proxy counts the traffic here, so
 * requests and bytes come from the read receipts.
 */
public final class GivenTestbed implements Testbed {
    private final CloudMw client;
    private final List<LabFile> files = new ArrayList<>();
    private final List<Contender> contenders = new ArrayList<>();
    private Traffic crossed = Traffic.NOTHING;

    private GivenTestbed(CloudMw client) {
        this.client = client;
    }

    /**
     * Writes the files.
     *
     * @param client used while the files are written; the caller closes it
     * @param connect creates a client per mode, so that modes do not share a client's budget for extra requests
     * @param closing closes those clients, and the resources that writing the files needs
     */
    public static GivenTestbed open(
            LabSettings settings,
            CloudMw client,
            CloseStack.Opening<CloudMw> connect,
            VolumeName volume,
            CloseStack closing)
            throws Exception {
        GivenTestbed testbed = new GivenTestbed(client);
        String directory = "/cloudmw-lab-" + UUID.randomUUID().toString().substring(0, 8);
        for (Mode mode : settings.modes()) {
            testbed.contenders.add(testbed.new Counted(closing.open(connect), mode));
        }
        try (WorkingDirectory sources = closing.open(() -> WorkingDirectory.create("cloudmw-lab-"))) {
            for (int i = 0; i < settings.sizes().size(); i++) {
                long bytes = settings.sizes().get(i);
                Path source = sources.path().resolve("source-" + i);
                GeneratedFile.generate(source, bytes, settings.seed() + i);
                FilePath path = new FilePath(volume, directory + "/file-" + i);
                client.files().put(source, path, PutOptions.defaults()).get();
                testbed.files.add(new LabFile(path, "file-" + i, source, bytes));
            }
        } catch (Exception | Error e) {
            testbed.close();
            throw e;
        }
        return testbed;
    }

    private final class Counted implements Contender {
        private final CloudMw own;
        private final Mode mode;

        Counted(CloudMw own, Mode mode) {
            this.own = own;
            this.mode = mode;
        }

        @Override
        public String name() {
            return mode.label();
        }

        @Override
        public void read(LabFile file, PositionalTarget destination) throws Exception {
            GetReceipt receipt = own.files()
                    .read(file.path(), destination, GetOptions.defaults().withMode(mode))
                    .get();
            crossed = crossed.plus(new Traffic(receipt.attempts(), receipt.usefulBytes() + receipt.wastedBytes()));
        }
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
        crossed = Traffic.NOTHING;
    }

    @Override
    public void beginUnshaped() {
        crossed = Traffic.NOTHING;
    }

    @Override
    public Traffic end() {
        return crossed;
    }

    /** Removes the files. */
    @Override
    public synchronized void close() {
        for (LabFile file : files) {
            var unused = client.files()
                    .remove(file.path())
                    .exceptionally(gone -> null)
                    .join();
        }
        files.clear();
    }
}
