package io.cloudmw.coordinator.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.testing.TestPrograms;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a coordinator takes the authority and the administrator's token which the agent of {@code infra/} makes.
 * Needs {@code python3} and {@code openssl}.
 */
class FleetIdentityTest {
    private static final Path AGENT = Path.of("..", "..", "infra", "modules", "instance", "files");
    private static final String MAKE = """
            import sys
            sys.path.insert(0, sys.argv[1])
            import agent
            authority = agent.new_authority()
            agent.Agent.write(sys.argv[2], authority, 0o600)
            agent.Agent.write(sys.argv[3], agent.new_admin_token(agent.fingerprint(authority)) + "\\n", 0o600)
            """;

    @TempDir
    private Path directory;

    private Path authority;
    private Path token;

    private static Path program(String name) {
        String required = "CLOUDMW_REQUIRE_TERRAFORM";
        return TestPrograms.require(
                name, "there is no " + name + ": no authority was made", required, System.getenv(required) != null);
    }

    @BeforeEach
    void makeThem() throws IOException, InterruptedException {
        authority = directory.resolve("authority.pem");
        token = directory.resolve("admin.token");
        Path unused = program("openssl");
        Path log = directory.resolve("log");
        Process python = new ProcessBuilder(
                        program("python3").toString(),
                        "-B",
                        "-c",
                        MAKE,
                        AGENT.toString(),
                        authority.toString(),
                        token.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(python.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(python.exitValue()).as(Files.readString(log)).isZero();
    }

    @Test
    void authoritySignsCertificatesThatItsOwnProves() throws Exception {
        CertificateAuthority signing = AuthorityFile.openOrCreate(authority, WallClock.system())
                .present()
                .signing();

        List<X509Certificate> chain = signing.certify(
                SigningRequest.newKey().getPublic(),
                new ProcessIdentity("demo", ProcessRole.HELPER, "h1"),
                Duration.ofHours(1));

        PKIXParameters trusted = new PKIXParameters(Set.of(new TrustAnchor(chain.get(1), null)));
        trusted.setRevocationEnabled(false);
        assertThat(CertPathValidator.getInstance("PKIX")
                        .validate(
                                CertificateFactory.getInstance("X.509").generateCertPath(chain.subList(0, 1)), trusted))
                .isNotNull();
    }

    @Test
    void authorityHasTheExtensionsOfOneThatACoordinatorMakes() throws Exception {
        X509Certificate fleets = AuthorityFile.openOrCreate(authority, WallClock.system())
                .present()
                .signing()
                .certificate();

        X509Certificate own = CertificateAuthority.create(WallClock.system()).certificate();

        assertThat(fleets.getCriticalExtensionOIDs()).isEqualTo(own.getCriticalExtensionOIDs());
        assertThat(fleets.getNonCriticalExtensionOIDs()).isEqualTo(own.getNonCriticalExtensionOIDs());
        assertThat(fleets.getBasicConstraints()).isEqualTo(own.getBasicConstraints());
        assertThat(fleets.getKeyUsage()).isEqualTo(own.getKeyUsage());
        assertThat(fleets.getSigAlgName()).isEqualTo(own.getSigAlgName());
        assertThat(fleets.getPublicKey().getAlgorithm())
                .isEqualTo(own.getPublicKey().getAlgorithm());
    }

    @Test
    void coordinatorKeepsTheAdministratorsToken() throws Exception {
        String made = Files.readString(token);

        AccessToken found = AdminToken.readOrCreate(
                token,
                AuthorityFile.openOrCreate(authority, WallClock.system())
                        .present()
                        .signing()
                        .certificate());

        assertThat(found.text()).isEqualTo(made.strip());
        assertThat(found.subject()).isEqualTo(Authorizer.ADMINISTRATOR);
        assertThat(token).hasContent(made);
    }
}
