package io.cloudmw.helper.cli;

import io.cloudmw.coordinator.backup.RecoveryListener;
import io.cloudmw.coordinator.backup.RecoveryReport;
import io.cloudmw.coordinator.backup.RecoveryRequest;
import io.cloudmw.coordinator.backup.VolumeRecovery;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.sqlite.SqliteCatalog;
import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.core.config.Build;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.CachingStoreOpener;
import io.cloudmw.core.store.disk.DirectStoreOpener;
import io.cloudmw.core.thread.ForcedExit;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.helper.bucket.HelperBuckets;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code cloudmw recover}. The command writes the catalog itself, while no coordinator runs. */
@Command(
        name = "recover",
        mixinStandardHelpOptions = true,
        versionProvider = ServerVersion.class,
        description = {
            "Recovers a volume from stores into a catalog that has lost it. No coordinator may use the catalog's file meanwhile."
                    + " Stores are read only.",
            "A STORE is a bucket, ID=s3://BUCKET[/PREFIX][,region=R][,endpoint=URL][,path-style][,domain=LABEL]"
                    + "[,profile=NAME][,credentials-file=PATH], or a disk, ID=DIRECTORY."
        })
final class RecoverCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RecoverCommand.class);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
    private static final int FILES_LOST = 6;
    private static final int MAX_LISTED = 1000;
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int CONNECTIONS = 16;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Parameters(index = "0", paramLabel = "VOLUME", description = "the former name of the volume")
    private String volume = "";

    @Option(
            names = "--from",
            paramLabel = "STORE",
            required = true,
            description = "a store to read; the stores that backups name are opened, too. Repeatable")
    private List<String> from = new ArrayList<>();

    @Option(names = "--as", paramLabel = "NAME", description = "the new name (default: the former name)")
    private @Nullable String as;

    @Option(
            names = "--cluster",
            paramLabel = "ID",
            description =
                    "the id of the volume's cluster or its beginning, when the stores have backups of several clusters' volumes of"
                            + " that name")
    private String cluster = "";

    @Option(
            names = "--backup",
            paramLabel = "N",
            description = "the number of the backup (default: the newest valid one)")
    private @Nullable Long number;

    @Option(names = "--verify", description = "read every copy of every chunk instead of only locating it")
    private boolean verify;

    @Option(names = "--dry-run", description = "report what can be recovered, and change no catalog")
    private boolean dryRun;

    @Option(names = "--resume", description = "continue an interrupted recovery")
    private boolean resume;

    @Option(
            names = "--data-dir",
            paramLabel = "DIRECTORY",
            description = "The directory of the catalog's file (coordinator.data-dir).")
    private @Nullable String dataDirectory;

    @Option(
            names = "--catalog",
            paramLabel = "sqlite|dynamodb:TABLE",
            description = "The storage of the catalog (coordinator.catalog).")
    private @Nullable String catalog;

    private final List<Map<String, Object>> lost = new ArrayList<>();

    @Override
    public Integer call() throws CloudMwException {
        Map<String, @Nullable String> given = new LinkedHashMap<>();
        given.put("coordinator.data-dir", dataDirectory);
        given.put("coordinator.catalog", catalog);
        Settings settings = options.settings(given);
        CoordinatorConfig config = CoordinatorConfig.read(settings);
        settings.finish();
        RecoveryRequest request = request();
        RecoveryReport report;
        ForcedExit.install(STOP_TIMEOUT);
        LOG.info(
                "recover started: {} user={} volume={} as={} from={} catalog={} dry-run={}",
                Build.describe(RecoverCommand.class),
                System.getProperty("user.name", ""),
                volume,
                request.as(),
                from,
                config.catalog(),
                dryRun);
        try (HelperBuckets buckets =
                        new HelperBuckets(CONNECTIONS, 1, 0, Optional.empty(), new CompositeMeterRegistry());
                CachingStoreOpener stores = new CachingStoreOpener(DirectStoreOpener.reading(buckets))) {
            VolumeRecovery recovery = new VolumeRecovery(request, stores, new ProgressPrinter(), WallClock.system());
            report = dryRun ? rehearse(recovery) : perform(recovery, config);
        }
        LOG.info(
                "recover ended: volume={} files={} lost={} not-found={}",
                report.volume().name(),
                report.files(),
                report.copies().lostFiles(),
                report.copies().unseenFiles());
        print(report);
        return report.copies().lostFiles() + report.copies().unseenFiles() > 0 ? FILES_LOST : 0;
    }

    private RecoveryRequest request() throws CloudMwException {
        List<Store> stores = new ArrayList<>();
        for (String text : from) {
            stores.add(StoreDefinition.parse("--from", text));
        }
        try {
            VolumeName name = new VolumeName(volume);
            return new RecoveryRequest(
                    name,
                    as == null ? name : new VolumeName(as),
                    stores,
                    cluster,
                    number == null ? OptionalLong.empty() : OptionalLong.of(number),
                    verify,
                    resume);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    private static RecoveryReport perform(VolumeRecovery recovery, CoordinatorConfig config) throws CloudMwException {
        try (Catalog opened = config.catalog().open()) {
            return recovery.run(opened);
        }
    }

    /** Recovers into a temporary catalog, which is deleted afterwards. */
    private static RecoveryReport rehearse(VolumeRecovery recovery) throws CloudMwException {
        try {
            Path directory = Files.createTempDirectory("cloudmw-rehearsal");
            try (Catalog opened = SqliteCatalog.open(directory.resolve("catalog.db"))) {
                return recovery.run(opened);
            } finally {
                delete(directory);
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "temporary files: " + Reasons.of(e), e);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** The printer of progress and losses, on standard error. */
    private final class ProgressPrinter implements RecoveryListener {
        private final Ticker ticker = Ticker.system();
        private long allFiles;
        private long allBytes;
        private String step = "";
        private long stepBeganNanos;
        private long printedNanos = ticker.nanos();

        @Override
        public void planned(long files, long bytes) {
            allFiles = files;
            allBytes = bytes;
        }

        @Override
        public void restored(long files, long bytes) {
            print("in the catalog", files, bytes);
        }

        @Override
        public void located(long files, long bytes) {
            print("located", files, bytes);
        }

        /** Prints at most one line in five seconds, and a last one at the end. */
        private void print(String what, long files, long bytes) {
            long now = ticker.nanos();
            if (!what.equals(step)) {
                step = what;
                stepBeganNanos = now;
            }
            if (now - printedNanos < LINE_NANOS && files != allFiles) {
                return;
            }
            printedNanos = now;
            long left = Math.max(0, allFiles - files);
            double seconds = (now - stepBeganNanos) / 1e9;
            String rest = left == 0 || seconds < 1
                    ? ""
                    : String.format(Locale.ROOT, ", about %d s", Math.max(1, Math.round(seconds / files * left)));
            System.err.printf(
                    Locale.ROOT,
                    "cloudmw: %,d of %,d files, %s of %s, %s%s%n",
                    files,
                    Math.max(files, allFiles),
                    Sizes.approximate(bytes),
                    Sizes.approximate(Math.max(bytes, allBytes)),
                    what,
                    rest);
        }

        @Override
        public void lost(FilePath file, boolean certain) {
            System.err.println("cloudmw: " + (certain ? "lost: " : "not found in the stores that were read: ") + file);
            if (lost.size() < MAX_LISTED) {
                lost.add(Map.of("file", file.toString(), "certain", certain));
            }
        }
    }

    private void print(RecoveryReport report) {
        report.refused().forEach(why -> System.err.println("cloudmw: refused: " + why));
        report.unreadable()
                .forEach((store, why) -> System.err.println("cloudmw: not read: store " + store + ": " + why));
        if (options.json()) {
            ServingProcess.print(System.out, json(report));
            return;
        }
        RecoveryReport.Copies copies = report.copies();
        System.out.printf(
                "%s: %d files, %s, from backup %d of %s%s%n",
                report.volume().name(),
                report.files(),
                Sizes.approximate(report.bytes()),
                report.root().number(),
                Instant.ofEpochMilli(report.root().takenAtMillis()),
                dryRun ? " (dry run: no catalog was changed)" : "");
        System.out.printf(
                "%d chunks: %d copies found, %d of them moved, %d missing, %d corrupt; %d files lost, %d not found%n",
                copies.chunks(),
                copies.found(),
                copies.moved(),
                copies.missing(),
                copies.corrupt(),
                copies.lostFiles(),
                copies.unseenFiles());
    }

    private Map<String, Object> json(RecoveryReport report) {
        RecoveryReport.Copies copies = report.copies();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("volume", report.volume().name().value());
        answer.put("cluster", report.root().cluster());
        answer.put("backup", report.root().number());
        answer.put(
                "taken_at", Instant.ofEpochMilli(report.root().takenAtMillis()).toString());
        answer.put("dry_run", dryRun);
        answer.put("files", report.files());
        answer.put("bytes", report.bytes());
        answer.put("chunks", copies.chunks());
        answer.put("copies_found", copies.found());
        answer.put("copies_moved", copies.moved());
        answer.put("copies_missing", copies.missing());
        answer.put("copies_corrupt", copies.corrupt());
        answer.put("lost_files", copies.lostFiles());
        answer.put("unseen_files", copies.unseenFiles());
        answer.put("lost", lost);
        answer.put("refused", report.refused());
        Map<String, String> unreadable = new TreeMap<>();
        report.unreadable().forEach((store, why) -> unreadable.put(store.value(), why));
        answer.put("unreadable", unreadable);
        return answer;
    }
}
