package io.cloudmw.coordinator.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.TokenRecord;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.JoinProofs;
import io.cloudmw.core.security.JoinProofs.JoinProof;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.Certificates;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnrolmentTest {
    private static final Duration LIFE = Duration.ofDays(7);

    private final AtomicLong now = new AtomicLong(1_700_000_000_000L);
    private final CertificateAuthority signing = CertificateAuthority.create(now::get);
    private final InMemoryCatalog catalog = new InMemoryCatalog();
    private final AccessToken admin =
            AccessToken.random(Authorizer.ADMINISTRATOR, Certificates.fingerprint(signing.certificate()));
    private final JoinProofs members = new JoinProofs(ClusterSecret.of(new byte[32]), now::get);
    private final Enrolment enrolment = new Enrolment(
            "prod",
            () -> new AuthorityFile.Authorities(signing, List.of(signing.certificate())),
            new JoinProofs(ClusterSecret.of(new byte[32]), now::get),
            new ClientTokens(admin, catalog.subjects(), now::get),
            LIFE);
    private final SigningRequest request = SigningRequest.of(SigningRequest.newKey());

    private ErrorCode refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(CloudMwException.class, call).code();
    }

    @Test
    void helperThatKnowsTheSecretGetsACertificate() throws Exception {
        Enrolment.Certified made = enrolment.helper("h1", request, members.prove("h1", request.publicKey()));

        assertThat(Certificates.identity(made.chain().get(0)))
                .contains(new ProcessIdentity("prod", ProcessRole.HELPER, "h1"));
        assertThat(made.trusted()).containsExactly(signing.certificate());
    }

    @Test
    void repeatedEnrolmentIsRefused() throws Exception {
        JoinProof proof = members.prove("h1", request.publicKey());
        enrolment.helper("h1", request, proof);

        assertThat(refused(() -> enrolment.helper("h1", request, proof))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void proofIsGoodForItsHelperAndItsRequestAlone() {
        JoinProof proof = members.prove("h1", request.publicKey());
        SigningRequest other = SigningRequest.of(SigningRequest.newKey());

        assertThat(refused(() -> enrolment.helper("h2", request, proof))).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refused(() -> enrolment.helper("h1", other, proof))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void proofOfAnotherSecretOrAnotherTimeIsRefused() {
        byte[] key = new byte[32];
        key[0] = 1;
        JoinProof foreign = new JoinProofs(ClusterSecret.of(key), now::get).prove("h1", request.publicKey());
        JoinProof old = members.prove("h1", request.publicKey());
        now.addAndGet(JoinProofs.VALIDITY.toMillis() + 1);

        assertThat(refused(() -> enrolment.helper("h1", request, foreign))).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refused(() -> enrolment.helper("h1", request, old))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void idThatIsNoNameIsRefused() {
        assertThat(refused(() -> enrolment.helper("h1/../h2", request, members.prove("h1/../h2", request.publicKey()))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void answerOfAProcessWithoutTheSecretIsRefused() throws Exception {
        JoinProof proof = members.prove("h1", request.publicKey());
        List<byte[]> certificates = List.of(new byte[] {1}, new byte[] {2, 3});
        members.verifyAnswer(proof, certificates, enrolment.answer(proof, certificates));

        List<byte[]> moved = List.of(new byte[] {1, 2}, new byte[] {3});
        assertThat(refused(() -> members.verifyAnswer(proof, moved, enrolment.answer(proof, certificates))))
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refused(() -> members.verifyAnswer(proof, certificates, ""))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void bearerOfTheAdministratorsTokenActsForTheAdministrator() throws Exception {
        Enrolment.Certified made = enrolment.client(admin.text(), request);

        assertThat(Certificates.identity(made.chain().get(0)))
                .contains(new ProcessIdentity(
                        "prod", ProcessRole.CLIENT, Authorizer.ADMINISTRATOR, Optional.of(admin.id())));
    }

    @Test
    void bearerOfATokenActsForItsSubjectWhileTheTokenIsGood() throws Exception {
        AccessToken token = AccessToken.random("app", admin.authority());
        TokenRecord record = new TokenRecord(token.sha256(), now.get(), OptionalLong.of(now.get() + 1000));
        catalog.subjects().change("app", subject -> subject.withToken(record, now.get()));

        assertThat(Certificates.identity(
                        enrolment.client(token.text(), request).chain().get(0)))
                .contains(new ProcessIdentity("prod", ProcessRole.CLIENT, "app", Optional.of(token.id())));
        String other = token.text().replace(":app:", ":ops:");
        assertThat(refused(() -> enrolment.client(other, request))).isEqualTo(ErrorCode.UNAUTHENTICATED);
        now.addAndGet(1000);
        assertThat(refused(() -> enrolment.client(token.text(), request))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void unknownTokenIsRefusedWithoutBeingPrinted() {
        AccessToken unknown = AccessToken.random("app", admin.authority());

        CloudMwException refusal =
                catchThrowableOfType(CloudMwException.class, () -> enrolment.client(unknown.text(), request));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refusal).hasMessageContaining(unknown.id());
        assertThat(refusal.getMessage()).doesNotContain(unknown.text());
        assertThat(refused(() -> enrolment.client("something", request))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void authorityAndTokenAreMadeOnceAndReadAfterwards(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("authority.pem");
        Path token = directory.resolve("admin.token");

        AuthorityFile.Authorities made =
                AuthorityFile.openOrCreate(file, now::get).present();
        AuthorityFile.Authorities read =
                AuthorityFile.openOrCreate(file, now::get).present();
        assertThat(read.trusted()).isEqualTo(made.trusted());

        AccessToken first = AdminToken.readOrCreate(token, made.signing().certificate());
        assertThat(AdminToken.readOrCreate(token, made.signing().certificate())).isEqualTo(first);
        AccessToken other = AdminToken.readOrCreate(token, signing.certificate());
        assertThat(other).isNotEqualTo(first);
        assertThat(other.authority()).isEqualTo(Certificates.fingerprint(signing.certificate()));
    }
}
