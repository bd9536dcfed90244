package io.cloudmw.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TransferTokensTest {
    private static final VersionId VERSION = new VersionId("0123456789abcdef0123456789abcdef");
    private static final long NOW = 1_700_000_000_000L;

    private static final String APP = "cloudmw://prod/client/app";

    private long now = NOW;
    private final TransferTokens tokens = new TransferTokens(secret(1), () -> now);
    private final TransferClaims claims =
            new TransferClaims(Set.of(TransferRight.READ), FilePath.parse("v:/a/ü"), VERSION, NOW + 1000);

    @Test
    void tokenHasTheFieldsItWasIssuedFor() throws Exception {
        assertThat(verify(tokens.issue(claims))).isEqualTo(claims);
        TransferClaims both = new TransferClaims(
                Set.of(TransferRight.READ, TransferRight.WRITE), FilePath.parse("v:/a"), VERSION, NOW + 1);
        assertThat(verify(tokens.issue(both))).isEqualTo(both);
    }

    @Test
    void aTokenOfTheLongestPathFits() throws Exception {
        TransferClaims longest = new TransferClaims(
                Set.of(TransferRight.READ), FilePath.parse("v:/" + "x".repeat(1023)), VERSION, NOW + 1);
        assertThat(verify(tokens.issue(longest))).isEqualTo(longest);
    }

    @Test
    void everyChangedBitIsForgery() {
        byte[] good = tokens.issue(claims).bytes();
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] forged = good.clone();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            refused(() -> tokens.verify(forged));
        }
    }

    @Test
    void everyTruncationIsRefused() {
        byte[] good = tokens.issue(claims).bytes();
        for (int length = 0; length < good.length; length++) {
            byte[] truncated = Arrays.copyOf(good, length);
            refused(() -> tokens.verify(truncated));
        }
        refused(() -> tokens.verify(Arrays.copyOf(good, good.length + 1)));
        refused(() -> tokens.verify(new byte[TransferToken.MAX_BYTES + 1]));
    }

    @Test
    void aTokenOfAnotherClusterIsRefused() {
        TransferTokens other = new TransferTokens(secret(2), () -> now);
        refused(() -> tokens.verify(other.issue(claims).bytes()));
    }

    @Test
    void aTokenEndsAtItsExpiry() throws Exception {
        TransferToken token = tokens.issue(claims);
        now = NOW + 999;
        assertThat(verify(token)).isEqualTo(claims);
        now = NOW + 1000;
        refused(() -> verify(token));
    }

    @Test
    void theRightAndTheVersionMustMatch() throws Exception {
        ChunkId chunk = new ChunkId(VERSION, 5);
        claims.require(TransferRight.READ, chunk);
        refused(() -> claims.require(TransferRight.WRITE, chunk));
        refused(() -> claims.require(TransferRight.READ, new ChunkId(VersionId.random(), 5)));
    }

    @Test
    void nothingSecretIsPrinted() {
        byte[] secret = "0123456789abcdef0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        assertThat(ClusterSecret.of(secret)).hasToString("ClusterSecret[redacted]");
        assertThat(tokens.issue(claims).toString()).matches("TransferToken\\[\\d+ bytes]");
    }

    private TransferClaims verify(TransferToken token) throws CloudMwException {
        return tokens.verify(token.bytes());
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
    }

    private static ClusterSecret secret(int fill) {
        byte[] secret = new byte[32];
        Arrays.fill(secret, (byte) fill);
        return ClusterSecret.of(secret);
    }

    private TransferTokens binding(int secret) {
        return new TransferTokens(secret(secret), TransferTokens.MAX_LIFE, () -> now, () -> Optional.of(holder(7)));
    }

    private TokenHolder holder(long revision) {
        return new TokenHolder(APP, now, revision);
    }

    @Test
    void boundTokenIsGoodForItsHolderAndForProcessesThatPassItOn() throws Exception {
        Optional<String> other = Optional.of("cloudmw://prod/client/other");
        TransferTokens binding = binding(1);
        byte[] token = binding.issue(claims).bytes();

        TransferClaims verified = binding.verify(token, new TokenBearer(Optional.of(APP), false));
        assertThat(verified.holder()).contains(holder(7));
        assertThat(verified.file()).isEqualTo(claims.file());
        assertThat(verified.version()).isEqualTo(claims.version());
        assertThat(binding.verify(token, new TokenBearer(other, true))).isEqualTo(verified);
        refused(() -> binding.verify(token, new TokenBearer(other, false)));
        refused(() -> binding.verify(token, TokenBearer.UNKNOWN));
    }

    @Test
    void everyChangedBitOfABoundTokenIsForgery() {
        TransferTokens binding = binding(1);
        byte[] good = binding.issue(claims).bytes();
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] forged = good.clone();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            refused(() -> binding.verify(forged));
        }
        for (int length = 0; length < good.length; length++) {
            byte[] truncated = Arrays.copyOf(good, length);
            refused(() -> binding.verify(truncated));
        }
        refused(() -> binding(2).verify(good));
    }

    @Test
    void boundTokenIsNotSignedByTheSecretItself() {
        byte[] token = binding(1).issue(claims).bytes();
        int length = token.length - 32;
        assertThat(secret(1).verifies(token, length, Arrays.copyOfRange(token, length, token.length)))
                .isFalse();
    }

    @Test
    void boundTokenIsGoodUntilTheEndOfTheNextDayWhateverItsExpirySays() throws Exception {
        long day = TransferTokens.MAX_LIFE.toMillis();
        now = NOW - NOW % day + day - 1;
        TransferClaims endless = new TransferClaims(claims.rights(), claims.file(), VERSION, Long.MAX_VALUE);
        TransferTokens binding = binding(1);
        byte[] token = binding.issue(endless).bytes();
        assertThat(binding.verify(token).file()).isEqualTo(claims.file());
        now += day;
        assertThat(binding.verify(token).file()).isEqualTo(claims.file());
        now += 1;
        refused(() -> binding.verify(token));
        now -= 3 * day;
        refused(() -> binding.verify(token));
    }

    @ParameterizedTest
    @ValueSource(longs = {10_000, 17_000, 86_400_000})
    void boundTokenEndsWithThePeriodAfterThatOfItsKey(long life) throws Exception {
        TransferClaims endless = new TransferClaims(claims.rights(), claims.file(), VERSION, Long.MAX_VALUE);
        TransferTokens binding =
                new TransferTokens(secret(1), Duration.ofMillis(life), () -> now, () -> Optional.of(holder(7)));
        now = NOW - NOW % life;
        byte[] token = binding.issue(endless).bytes();
        now += 2 * life - 1;
        assertThat(binding.verify(token).file()).isEqualTo(claims.file());
        now += 1;
        refused(() -> binding.verify(token));
    }

    @Test
    void boundTokenIsNotGoodWhereKeysHaveAnotherLife() {
        TransferTokens shorter = new TransferTokens(
                secret(1), TransferTokens.SHORTEST_KEY_LIFE, () -> now, () -> Optional.of(holder(7)));
        refused(() -> shorter.verify(binding(1).issue(claims).bytes()));
        refused(() -> binding(1).verify(shorter.issue(claims).bytes()));
    }

    @Test
    void boundTokenOfAClockThatIsMinutesAheadIsGood() throws Exception {
        long day = TransferTokens.MAX_LIFE.toMillis();
        long midnight = NOW - NOW % day + day;
        TransferClaims endless = new TransferClaims(claims.rights(), claims.file(), VERSION, Long.MAX_VALUE);
        now = midnight;
        byte[] token = binding(1).issue(endless).bytes();
        now = midnight - TokenKeys.CLOCK_SKEW.toMillis();
        assertThat(binding(1).verify(token).file()).isEqualTo(claims.file());
        now -= 1;
        refused(() -> binding(1).verify(token));
    }

    @Test
    void boundTokenIsVerifiedWithTheSecondKeyOfASecretThatIsBeingReplaced(@TempDir Path directory) throws Exception {
        String former = "f".repeat(32);
        String next = "n".repeat(32);
        Path file = Files.createFile(
                directory.resolve("both"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        ClusterSecret both = ClusterSecret.read(Files.writeString(file, next + "\n" + former));
        ClusterSecret old = ClusterSecret.of(former.getBytes(StandardCharsets.US_ASCII));
        TransferTokens before =
                new TransferTokens(old, TransferTokens.MAX_LIFE, () -> now, () -> Optional.of(holder(1)));
        TransferTokens during =
                new TransferTokens(both, TransferTokens.MAX_LIFE, () -> now, () -> Optional.of(holder(1)));
        assertThat(during.verify(before.issue(claims).bytes()).holder()).contains(holder(1));
        refused(() -> before.verify(during.issue(claims).bytes()));
    }

    @Test
    void tokenFromBeforeARevocationIsRefusedAndALaterOneIsGood() throws Exception {
        RevokedHolders revoked = new RevokedHolders();
        TransferTokens verifier = binding(1).boundAndNot(revoked);
        byte[] token = binding(1).issue(claims).bytes();
        TransferClaims admitted = verifier.verify(token);

        revoked.replace(Map.of(APP, 8L, "cloudmw://prod/client/other", 9L));
        refused(() -> verifier.verify(token));
        refused(() -> verifier.requireNotRevoked(admitted));
        TransferTokens later =
                new TransferTokens(secret(1), TransferTokens.MAX_LIFE, () -> now, () -> Optional.of(holder(8)));
        TransferClaims since = verifier.verify(later.issue(claims).bytes());
        verifier.requireNotRevoked(since);

        revoked.replace(Map.of());
        assertThat(verifier.verify(token)).isEqualTo(admitted);
    }

    @Test
    void unboundTokenIsRefusedUnderTls() {
        TransferTokens verifier = tokens.boundAndNot(new RevokedHolders());
        refused(() -> verifier.verify(tokens.issue(claims).bytes()));
    }

    @Test
    void listenersHearOfEachListOfRevocations() {
        RevokedHolders revoked = new RevokedHolders();
        AtomicInteger heard = new AtomicInteger();
        revoked.onChange(heard::incrementAndGet);
        revoked.replace(Map.of(APP, 1L));
        revoked.replace(Map.of());
        assertThat(heard).hasValue(2);
    }

    @Test
    void tokenForAnyBearerHasTheFormOfFormerReleases() {
        TransferTokens plain = new TransferTokens(secret(1), () -> now);
        assertThat(plain.issue(claims).bytes()[0]).isEqualTo((byte) 1);
    }
}
