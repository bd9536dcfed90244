package io.cloudmw.client.backup.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.client.backup.Backup;
import io.cloudmw.client.backup.BackupOptions;
import io.cloudmw.client.backup.BackupReport;
import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientLimits;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeExports;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.link.HelperLinks;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.core.backup.BackupPart;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Backups of the pieces of an export. */
@Timeout(120)
final class BackupRunnerTest {
    private static final VolumeName VOLUME = new VolumeName("photos");
    private static final VolumeName KEPT = new VolumeName("photos-backup");
    private static final int PIECE = 100_000;
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private FakeCoordinator coordinator;
    private FakeExports exports;
    private FakeHelper helper;
    private ClientContext context;
    private TransferStarter transfers;
    private BackupRunner backups;

    @BeforeEach
    void connect() throws Exception {
        coordinator = new FakeCoordinator(256 << 10, 16 << 10);
        exports = coordinator.exports();
        ClientThreads threads = new ClientThreads();
        context = ClientContext.of(
                threads,
                new CoordinatorClient(
                        coordinator.address(),
                        ClientCertificates.none(),
                        CoordinatorTimes.of(Duration.ofSeconds(30)),
                        threads.events(),
                        threads.timer(),
                        Ticker.system(),
                        waiting -> {}),
                () -> HelperLinks.open(
                        ClientCertificates.none(),
                        threads.events(),
                        threads.timer(),
                        Duration.ZERO,
                        new SimpleMeterRegistry()),
                new ClientLimits(8 << 20, Long.MAX_VALUE),
                Pricing.DEFAULT,
                new RedundancyBudget(RedundancyLimits.DEFAULT),
                Ticker.system());
        transfers = new TransferStarter(context);
        helper = new FakeHelper("h", FakeHelper.Script.SERVE, new ConcurrentHashMap<>());
        coordinator.add(helper.address());
        coordinator.add(new Store(new StoreId("s"), "d", new Store.Disk(new HelperId("h"), Path.of("/nowhere"))));
        backups = new BackupRunner(context.coordinator(), transfers, 2 * PIECE);
        context.coordinator()
                .createVolume(new Volume(
                        VOLUME,
                        new Chunking.ByCount(3),
                        2,
                        List.of(new StoreId("s"), new StoreId("t")),
                        1,
                        Mode.ROUNDS,
                        false,
                        7))
                .join();
    }

    @AfterEach
    void close() throws IOException {
        transfers.close();
        helper.close();
        coordinator.close();
    }

    private static byte[] piece(int seed) {
        byte[] bytes = new byte[PIECE];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private BackupReport backup(int keep, boolean whole) throws CloudMwException {
        return backups.backup(VOLUME, new BackupOptions(Optional.empty(), keep, whole, TransferListener.NONE));
    }

    private BackupReport backup() throws CloudMwException {
        return backup(7, false);
    }

    private BackupRoot newestRoot() throws CloudMwException {
        List<BackupRoot> roots = backups.roots(VOLUME, Optional.empty());
        return roots.get(roots.size() - 1);
    }

    private long files(String directory) throws CloudMwException {
        Page<FileEntry> page = Calls.await(context.coordinator().list(KEPT, directory, "", 1000));
        return page.items().stream()
                .filter(entry -> entry.version().isPresent())
                .count();
    }

    @Test
    void backupIsPartsOfManyPiecesAndARootThatNamesThem() throws Exception {
        exports.give(true, 40, List.of(piece(1), piece(2), piece(3)));
        BackupReport report = backup();
        assertThat(report.whole()).isTrue();
        assertThat(report.bytes()).isEqualTo(3 * PIECE);
        BackupRoot root = newestRoot();
        assertThat(root.parts()).extracting(part -> part.file().sizeBytes()).containsExactly(2L * PIECE, (long) PIECE);
        assertThat(root.parts()).extracting(BackupPart::files).containsExactly(2L, 1L);
        assertThat(root.position()).isEqualTo(40);
        assertThat(root.number()).isEqualTo(1);
        assertThat(report.file()).isEqualTo(FilePath.parse("photos-backup:/photos/roots/0000000001"));
        assertThat(backups.list(VOLUME, Optional.empty())).containsExactly(report.backup());
        assertThat(report.backup()).isEqualTo(new Backup(VOLUME, 1, root.takenAtMillis(), 40, 2, 3 * PIECE));
        assertThat(BackupRoot.isRoot(Calls.await(context.coordinator().stat(report.file()))
                        .version()
                        .id()))
                .isTrue();
        Volume kept = Calls.await(context.coordinator().volume(KEPT));
        assertThat(kept.replicas()).isEqualTo(2);
        assertThat(kept.writeQuorum()).isEqualTo(2);
        assertThat(files("/photos")).isZero();
    }

    @Test
    void backupIntoTheVolumeItselfIsRefused() {
        BackupOptions inItself = new BackupOptions(Optional.of(VOLUME), 1, false, TransferListener.NONE);
        assertThat(catchThrowableOfType(CloudMwException.class, () -> backups.backup(VOLUME, inItself))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(exports.asked()).isEmpty();
    }

    /** Another backup begins and ends while this one writes its first, second or third part. */
    @Test
    void concurrentBackupFailsAndBlocksNothing() throws Exception {
        exports.give(true, 40, List.of(piece(1), piece(2), piece(3), piece(4), piece(5)));
        Set<Integer> moments = new HashSet<>();
        for (int moment = 1; moment <= 3; moment++) {
            List<Backup> before = moment == 1 ? List.of() : backups.list(VOLUME, Optional.empty());
            AtomicReference<Backup> made = new AtomicReference<>();
            AtomicInteger parts = new AtomicInteger();
            int when = moment;
            TransferListener between = new TransferListener() {
                @Override
                public void progressed(long done, long total) {
                    if (done > 2L * PIECE * (when - 1) && parts.compareAndSet(0, when)) {
                        moments.add(when);
                        made.set(another());
                    }
                }
            };
            CloudMwException failure = catchThrowableOfType(
                    CloudMwException.class,
                    () -> backups.backup(VOLUME, new BackupOptions(Optional.empty(), 7, true, between)));
            assertThat(failure.code()).isEqualTo(ErrorCode.CONFLICT);
            List<Backup> after = backups.list(VOLUME, Optional.empty());
            assertThat(after).hasSize(moment);
            assertThat(after.subList(0, moment - 1)).isEqualTo(before);
            assertThat(after.get(moment - 1)).isEqualTo(made.get());
            assertThat(after.get(moment - 1).sizeBytes()).isEqualTo(5 * PIECE);
        }
        assertThat(moments).containsExactly(1, 2, 3);
        BackupReport next = backup(7, true);
        assertThat(next.resumed()).isFalse();
        assertThat(next.backup().number()).isEqualTo(4);
        assertThat(files("/photos")).as("drafts").isZero();
    }

    private Backup another() {
        try {
            return new BackupRunner(context.coordinator(), transfers, 2 * PIECE)
                    .backup(VOLUME, new BackupOptions(Optional.empty(), 7, true, TransferListener.NONE))
                    .backup();
        } catch (CloudMwException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void backupAddsChangesAndNothingWhenUnchanged() throws Exception {
        exports.give(true, 40, List.of(piece(1)));
        Backup first = backup().backup();
        BackupRoot firstRoot = newestRoot();
        exports.give(false, 40, List.of(new byte[0]));
        BackupReport none = backup();
        assertThat(none.unchanged()).isTrue();
        assertThat(none.backup()).isEqualTo(first);
        exports.give(false, 50, List.of(piece(2)));
        backup();
        BackupRoot second = newestRoot();
        assertThat(second.number()).isEqualTo(2);
        assertThat(second.parts()).hasSize(2).startsWith(firstRoot.parts().get(0));
        exports.give(true, 60, List.of(piece(3)));
        assertThat(backup(7, true).backup().parts()).isEqualTo(1);
    }

    @Test
    void interruptedBackupContinuesAfterItsLastPart() throws Exception {
        exports.give(true, 40, List.of(piece(1), piece(2), piece(3), piece(4), piece(5)));
        exports.failAt(4, ErrorCode.INTERNAL);
        assertThat(catchThrowableOfType(CloudMwException.class, this::backup).code())
                .isEqualTo(ErrorCode.INTERNAL);
        assertThat(backups.list(VOLUME, Optional.empty())).isEmpty();
        assertThat(files("/photos")).isEqualTo(1);
        exports.asked().clear();
        exports.failAt(-1, ErrorCode.INTERNAL);
        BackupReport report = backup();
        assertThat(report.resumed()).isTrue();
        assertThat(exports.asked()).startsWith(4L);
        assertThat(report.backup().sizeBytes()).isEqualTo(5 * PIECE);
        assertThat(report.backup().parts()).isEqualTo(3);
        assertThat(files("/photos")).isZero();
    }

    @Test
    void backupInterruptedTooLongAgoStartsOver() throws Exception {
        exports.give(true, 40, List.of(piece(1), piece(2), piece(3)));
        exports.failAt(2, ErrorCode.CONFLICT);
        assertThat(catchThrowableOfType(CloudMwException.class, this::backup).code())
                .isEqualTo(ErrorCode.CONFLICT);
        exports.give(true, 90, List.of(piece(4)));
        BackupReport report = backup();
        assertThat(report.resumed()).isFalse();
        assertThat(report.backup().sizeBytes()).isEqualTo(PIECE);
    }

    @Test
    void pruneKeepsNewestBackupsAndTheirParts() throws Exception {
        for (int i = 1; i <= 3; i++) {
            coordinator.now(10L * HOUR * i);
            exports.give(i != 3, i, List.of(piece(i)));
            backup(2, i == 2);
        }
        assertThat(backups.list(VOLUME, Optional.empty()))
                .extracting(Backup::number)
                .containsExactly(2L, 3L);
        assertThat(files("/photos/parts")).isEqualTo(2);
    }
}
