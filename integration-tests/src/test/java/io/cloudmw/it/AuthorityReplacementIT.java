package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.coordinator.identity.AuthorityReplacement;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.Certificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The replacement of a cluster's authority, and the renewal of all certificates, while a client writes and reads: no
 * operation fails. Certificates live for ten seconds here.
 */
final class AuthorityReplacementIT {
    private static final VolumeName VOLUME = new VolumeName("v");
    private static final Duration LIFE = Duration.ofSeconds(10);

    @TempDir
    private Path directory;

    private final AtomicInteger operations = new AtomicInteger();

    @Test
    void noOperationFailsWhileTheAuthorityIsReplaced() throws Exception {
        try (TlsCluster cluster = TlsCluster.start(directory, "tls.certificate-life", LIFE.toSeconds() + "s")) {
            CloudMw client = cluster.admin();
            cluster.createVolume(client, VOLUME, Mode.DEFAULT);
            AtomicBoolean ends = new AtomicBoolean();
            CompletableFuture<Void> work = CompletableFuture.runAsync(() -> writeAndRead(client, ends));
            Path file = directory.resolve("authority.pem");
            ClientSecurity app = ClientSecurity.token(
                    client.subjects().createToken("app", Optional.empty()).join());
            String before = TokenFile.read(cluster.tokenFile()).authority();

            var unusedPrepared = AuthorityReplacement.prepare(file, WallClock.system());
            awaitAllRenewed(work);
            var unusedSwitched = AuthorityReplacement.switchOver(file, WallClock.system());
            awaitAllRenewed(work);
            assertThat(cluster.client(app).subjects().whoAmI())
                    .as("a client that starts with a token which names the former authority")
                    .succeedsWithin(Duration.ofMinutes(1));
            String after = Certificates.fingerprint(
                    AuthorityReplacement.finish(file).authorities().get(0));
            awaitAllRenewed(work);

            ends.set(true);
            work.join();
            assertThat(after).isNotEqualTo(before);
            assertThat(TokenFile.read(cluster.tokenFile()).authority()).isEqualTo(after);
            CloudMw later = cluster.admin();
            assertThat(later.cluster().helpers().join()).hasSize(2);
            assertThat(cluster.client(app).subjects().whoAmI())
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableThat()
                    .withMessageContaining("not signed by the authority that the token names");
            assertThat(later.files().get(path(0), directory.resolve("later"), GetOptions.defaults()))
                    .succeedsWithin(Duration.ofMinutes(1));
        }
    }

    /** Waits for the life of all certificates, and for operations after it. */
    private void awaitAllRenewed(CompletableFuture<Void> work) {
        long until = WallClock.system().millis() + LIFE.plusSeconds(1).toMillis();
        Awaitility.await().until(() -> work.isDone() || WallClock.system().millis() >= until);
        int done = operations.get();
        Awaitility.await().until(() -> work.isDone() || operations.get() > done + 2);
        assertThat(work).isNotDone();
    }

    private static FilePath path(int number) {
        return new FilePath(VOLUME, "/" + number);
    }

    private void writeAndRead(CloudMw client, AtomicBoolean ends) {
        try {
            byte[] bytes = new byte[3 << 20];
            Path source = Files.write(directory.resolve("source"), bytes);
            Path target = directory.resolve("target");
            for (int i = 0; !ends.get(); i++) {
                client.files().put(source, path(i % 4), PutOptions.defaults()).join();
                client.files().get(path(i % 4), target, GetOptions.defaults()).join();
                assertThat(Files.mismatch(source, target)).isEqualTo(-1);
                Files.delete(target);
                operations.incrementAndGet();
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
