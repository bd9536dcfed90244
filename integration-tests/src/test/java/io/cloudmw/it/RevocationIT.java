package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of what a client may go on with after it has lost a right or a role. Transfer tokens live for hours here, and an open file
 * asks the coordinator for nothing while its plan is good: so what ends, helpers have ended.
 */
class RevocationIT {
    private static final VolumeName DATA = new VolumeName("data");
    private static final GrantScope LOGS = new GrantScope(DATA, "/logs");
    private static final FilePath FILE = new FilePath(DATA, "/logs/a");
    private static final int STEP = 32 << 10;
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private TlsCluster cluster;
    private CloudMw admin;
    private byte[] content;

    @BeforeEach
    void startCluster() throws Exception {
        cluster = TlsCluster.start(directory);
        admin = cluster.admin();
        cluster.createVolume(admin, DATA, Mode.COOPERATIVE);
        content = new byte[24 << 20];
        new SplittableRandom(11).nextBytes(content);
        Path source = Files.write(directory.resolve("source"), content);
        admin.files().put(source, FILE, PutOptions.defaults()).join();
    }

    @AfterEach
    void stopCluster() {
        cluster.close();
    }

    private CloudMw client(String subject) {
        return cluster.client(ClientSecurity.token(
                admin.subjects().createToken(subject, Optional.empty()).join()));
    }

    private void grant(String subject, GrantScope scope, Right... rights) {
        admin.subjects().grant(subject, scope, Set.of(rights)).join();
    }

    /** A reader of an open file, range by range, each once. */
    private final class Reader {
        private final RemoteFile file;
        private long position;

        Reader(CloudMw client) {
            file = client.files().open(FILE).join();
        }

        void readNext() {
            ByteBuffer bytes = ByteBuffer.allocate(STEP);
            assertThat(file.read(bytes, position).join()).isEqualTo(STEP);
            int from = (int) position;
            assertThat(bytes.array()).isEqualTo(Arrays.copyOfRange(content, from, from + STEP));
            position = (position + STEP) % (content.length - STEP);
        }

        /** Reads until a read fails; returns its code. */
        ErrorCode failure() {
            return await().atMost(LONG)
                    .until(
                            () -> {
                                try {
                                    readNext();
                                    return Optional.<ErrorCode>empty();
                                } catch (CompletionException e) {
                                    return Optional.of(code(e));
                                }
                            },
                            Optional::isPresent)
                    .orElseThrow();
        }
    }

    private static ErrorCode code(CompletionException failure) {
        return ((CloudMwException) Objects.requireNonNull(failure.getCause())).code();
    }

    /** The client could read the disks by itself. Its destination takes nothing more until the read is over. */
    @Test
    void readOfDisksThatTheClientReachesEndsAfterItsRightWasTaken() throws Exception {
        grant("app", LOGS, Right.READ);
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        WritableByteChannel destination = new WritableByteChannel() {
            @Override
            public int write(ByteBuffer bytes) throws IOException {
                began.countDown();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
                return 0;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        CompletableFuture<GetReceipt> read = client("app").files().read(FILE, destination, GetOptions.defaults());
        began.await();
        grant("app", LOGS);
        try {
            assertThat(read).failsWithin(LONG).withThrowableThat().withMessageContaining("does not have read");
        } finally {
            over.countDown();
        }
    }

    @Test
    void openFileIsReadNoMoreAfterItsRightWasTaken() {
        grant("app", LOGS, Right.READ);
        Reader reader = new Reader(client("app"));
        reader.readNext();
        grant("app", LOGS);
        assertThat(reader.failure()).isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void openFileIsReadNoMoreAfterItsClientsTokenWasRevoked() {
        grant("app", LOGS, Right.READ);
        Reader reader = new Reader(client("app"));
        reader.readNext();
        admin.subjects().revokeToken("app", Optional.empty()).join();
        assertThat(reader.failure()).isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void openFileIsReadOnAfterAnotherRightOfItsSubjectWasTaken() {
        grant("app", LOGS, Right.READ, Right.WRITE);
        grant("witness", LOGS, Right.READ);
        Reader app = new Reader(client("app"));
        Reader witness = new Reader(client("witness"));
        app.readNext();
        witness.readNext();
        grant("app", LOGS, Right.READ);
        grant("witness", LOGS);

        // A helper that refuses the witness has heard of the loss before.
        assertThat(witness.failure()).isEqualTo(ErrorCode.PERMISSION_DENIED);
        for (int i = 0; i < 100; i++) {
            app.readNext();
        }
    }

    @Test
    void rightThatIsGivenAgainIsGood() {
        grant("app", LOGS, Right.READ);
        CloudMw client = client("app");
        Reader reader = new Reader(client);
        reader.readNext();
        grant("app", LOGS);
        assertThat(reader.failure()).isEqualTo(ErrorCode.PERMISSION_DENIED);
        grant("app", LOGS, Right.READ);
        Reader again = new Reader(client);
        for (int i = 0; i < 10; i++) {
            again.readNext();
        }
    }

    /** A source that pauses after its first bytes. */
    private static final class PausedSource extends InputStream {
        private static final int BEFORE = 4 << 20;

        private final CountDownLatch paused = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private long given;

        @Override
        public int read() {
            throw new UnsupportedOperationException("byte by byte");
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (given >= BEFORE) {
                paused.countDown();
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
            }
            int bytes = (int) Math.min(length, 4L * BEFORE - given);
            given += bytes;
            return bytes == 0 ? -1 : bytes;
        }
    }

    @Test
    void uploadUnderWayEndsAfterItsRightWasTaken() throws Exception {
        grant("app", LOGS, Right.READ, Right.WRITE);
        CloudMw client = client("app");
        FilePath target = new FilePath(DATA, "/logs/written");
        PausedSource source = new PausedSource();
        CompletableFuture<?> put = client.files().put(source, target, PutOptions.defaults());
        source.paused.await();
        grant("app", LOGS, Right.READ);
        source.goesOn.countDown();
        assertThat(TlsCluster.refusal(put)).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(TlsCluster.refusal(admin.files().stat(target))).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void operatorWithoutItsRoleIsRefusedWithTheNextCall() {
        var unusedGiven = admin.subjects()
                .setRole("op", Optional.of(ClusterRole.OPERATOR))
                .join();
        CloudMw operator = client("op");
        cluster.createVolume(operator, new VolumeName("first"), Mode.COOPERATIVE);
        assertThat(operator.stores().list().join()).isNotEmpty();
        var unusedTaken = admin.subjects().setRole("op", Optional.empty()).join();
        assertThat(TlsCluster.refusal(operator.stores().list())).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThatThrownBy(() -> cluster.createVolume(operator, new VolumeName("second"), Mode.COOPERATIVE))
                .isInstanceOfSatisfying(
                        CompletionException.class,
                        refused -> assertThat(code(refused)).isEqualTo(ErrorCode.PERMISSION_DENIED));
    }

    @Test
    void openWatchEndsWithItsRight() {
        grant("app", LOGS, Right.READ);
        grant("app", new GrantScope(DATA, "/other"), Right.READ);
        CloudMw client = client("app");
        WatchListener ignoring = new WatchListener() {
            @Override
            public void changed(Change change) {
                // The test waits for the end.
            }

            @Override
            public void lost(long position) {
                // The test waits for the end.
            }
        };
        Watch taken = client.files().watch(DATA, "/logs", OptionalLong.empty(), ignoring);
        Watch kept = client.files().watch(DATA, "/other", OptionalLong.empty(), ignoring);
        taken.started().join();
        kept.started().join();
        grant("app", LOGS);
        await().atMost(LONG).until(() -> taken.done().isDone());
        assertThat(TlsCluster.refusal(taken.done())).isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(kept.done()).isNotDone();
    }
}
