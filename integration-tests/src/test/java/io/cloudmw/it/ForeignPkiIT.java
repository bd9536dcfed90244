package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.PemFiles;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.lab.fleet.LocalFleet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster with certificates of a PKI that is not CloudMW's: a coordinator, a helper and clients read them from PEM
 * files, and no process enrols. Their authority is replaced by another one without a restart.
 */
final class ForeignPkiIT {
    private static final String CLUSTER = "pki";
    private static final VolumeName VOLUME = new VolumeName("v");
    private static final FilePath FILE = new FilePath(VOLUME, "/f");
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private final List<CloudMw> clients = new ArrayList<>();
    private LocalFleet fleet;
    private CertificateAuthority first;
    private CertificateAuthority second;

    @BeforeEach
    void startProcesses() throws Exception {
        first = CertificateAuthority.create(WallClock.system());
        second = CertificateAuthority.create(WallClock.system());
        fleet = new LocalFleet(
                directory.resolve("fleet"),
                CommandLine.LAUNCHER,
                Map.of("CLOUDMW_TLS_INSECURE", "false", "CLOUDMW_JAVA_OPTS", "-Xmx128m"));
        certify(first, "c1", ProcessRole.COORDINATOR, "c1");
        certify(first, "h1", ProcessRole.HELPER, "h1");
        certify(first, "admin", ProcessRole.CLIENT, "admin");
        trust(List.of(first), "c1", "h1", "admin");
        var unusedCoordinator = fleet.startCoordinator(settings("c1"));
        Map<String, String> helper = new HashMap<>(fleet.disk("d-h1"));
        helper.putAll(settings("h1"));
        var unusedHelper = fleet.startHelper("h1", helper);
    }

    @AfterEach
    void stopProcesses() {
        clients.forEach(CloudMw::close);
        fleet.close();
    }

    private Path key(String name) {
        return directory.resolve(name + ".pem");
    }

    private Path authorities(String name) {
        return directory.resolve(name + "-authorities.pem");
    }

    private Map<String, String> settings(String name) {
        return Map.of(
                "tls.key", key(name).toString(),
                "tls.certificate", key(name).toString(),
                "tls.authorities", authorities(name).toString());
    }

    private void certify(CertificateAuthority authority, String name, ProcessRole role, String id) throws Exception {
        certify(authority, name, new ProcessIdentity(CLUSTER, role, id));
    }

    /** Replaces a process's file with its key and certificate. */
    private void certify(CertificateAuthority authority, String name, ProcessIdentity identity) throws Exception {
        KeyPair key = SigningRequest.newKey();
        List<X509Certificate> chain = authority.certify(key.getPublic(), identity, Duration.ofHours(1));
        SecretFiles.replace("key", key(name), PemFiles.text(new CertifiedKey(key.getPrivate(), chain), List.of()));
    }

    /** Replaces the files of the authorities that processes trust. */
    private void trust(List<CertificateAuthority> authorities, String... names) throws Exception {
        StringBuilder text = new StringBuilder();
        for (CertificateAuthority authority : authorities) {
            text.append("-----BEGIN CERTIFICATE-----\n")
                    .append(Base64.getMimeEncoder(64, new byte[] {'\n'})
                            .encodeToString(authority.certificate().getEncoded()))
                    .append("\n-----END CERTIFICATE-----\n");
        }
        for (String name : names) {
            SecretFiles.replace("bundle", authorities(name), text.toString().getBytes(StandardCharsets.US_ASCII));
        }
    }

    private CloudMw client(String name) {
        CloudMw client = CloudMw.connect(CloudMwOptions.of(fleet.coordinatorAddress())
                .withCoordinatorTimeout(Duration.ofSeconds(5))
                .withSecurity(ClientSecurity.certificate(key(name), key(name), authorities(name))));
        clients.add(client);
        return client;
    }

    /** Makes a client of the administrator with a certificate of one authority that trusts one authority. */
    private CloudMw administrator(String name, CertificateAuthority own, CertificateAuthority trusted)
            throws Exception {
        certify(own, name, ProcessRole.CLIENT, "admin");
        trust(List.of(trusted), name);
        return client(name);
    }

    /** The code with which a client's call to the coordinator fails; empty: it is served. */
    private static Optional<ErrorCode> refusal(CloudMw client) {
        try {
            var unused = client.volumes().list().join();
            return Optional.empty();
        } catch (CompletionException e) {
            return Optional.of(((CloudMwException) Objects.requireNonNull(e.getCause())).code());
        }
    }

    private void putAndGet(CloudMw client) throws Exception {
        byte[] bytes = new byte[3 << 20];
        new SplittableRandom(clients.size()).nextBytes(bytes);
        Path source = Files.write(directory.resolve("source"), bytes);
        Path target = directory.resolve("target");
        client.files().put(source, FILE, PutOptions.defaults()).join();
        client.files().get(FILE, target, GetOptions.defaults()).join();
        assertThat(target).hasBinaryContent(bytes);
        Files.delete(target);
    }

    private void createVolume(CloudMw client) {
        await().until(() -> client.cluster().helpers().join().size() == 1);
        client.volumes()
                .create(new Volume(
                        VOLUME,
                        new Chunking.BySize(2 << 20),
                        1,
                        List.of(new StoreId("d-h1")),
                        1,
                        Mode.COOPERATIVE,
                        false,
                        0))
                .join();
    }

    @Test
    void processesOfAPkiServeEachOtherAndNobodyElse() throws Exception {
        CloudMw admin = client("admin");
        createVolume(admin);
        putAndGet(admin);

        certify(first, "app", ProcessRole.CLIENT, "app");
        certify(first, "foreign", new ProcessIdentity("other", ProcessRole.CLIENT, "admin"));
        trust(List.of(first), "app", "foreign");
        assertThat(refusal(administrator("stranger", second, first))).contains(ErrorCode.TLS_FAILED);
        assertThat(refusal(administrator("suspicious", first, second))).contains(ErrorCode.TLS_FAILED);
        assertThat(refusal(client("foreign"))).contains(ErrorCode.TLS_FAILED);
        assertThat(TlsCluster.refusal(client("app").cluster().helpers())).isEqualTo(ErrorCode.PERMISSION_DENIED);
    }

    @Test
    void anotherAuthorityTakesOverWithoutARestart() throws Exception {
        List<Long> pids = pids();
        CloudMw admin = client("admin");
        createVolume(admin);
        putAndGet(admin);
        CloudMw next = administrator("next", second, first);
        assertThat(refusal(next)).contains(ErrorCode.TLS_FAILED);

        trust(List.of(first, second), "c1", "h1", "admin");
        await().atMost(LONG).until(() -> refusal(next).isEmpty());
        await().atMost(LONG).untilAsserted(() -> putAndGet(next));

        CloudMw newcomer = administrator("newcomer", second, second);
        assertThat(refusal(newcomer)).contains(ErrorCode.TLS_FAILED);
        certify(second, "c1", ProcessRole.COORDINATOR, "c1");
        certify(second, "h1", ProcessRole.HELPER, "h1");
        certify(second, "admin", ProcessRole.CLIENT, "admin");
        await().atMost(LONG).until(() -> refusal(newcomer).isEmpty());
        await().atMost(LONG).untilAsserted(() -> putAndGet(newcomer));

        trust(List.of(second), "c1", "h1", "admin");
        await().atMost(LONG).until(() -> {
            CloudMw former = administrator("former", first, second);
            try {
                return refusal(former).equals(Optional.of(ErrorCode.TLS_FAILED));
            } finally {
                clients.remove(former);
                former.close();
            }
        });
        putAndGet(admin);
        putAndGet(newcomer);
        assertThat(pids()).isEqualTo(pids);
    }

    private List<Long> pids() {
        List<Long> pids = new ArrayList<>();
        for (String name : List.of("coordinator", "h1")) {
            assertThat(fleet.process(name).isAlive()).as(name).isTrue();
            pids.add(fleet.process(name).pid());
        }
        return pids;
    }
}
