package io.cloudmw.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class TransferTokensTest {
    private static final VersionId VERSION = new VersionId("0123456789abcdef0123456789abcdef");
    private static final long NOW = 1_700_000_000_000L;

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

    @Test
    void boundTokenIsGoodForItsHolderAndForProcessesThatPassItOn() throws Exception {
        String app = "cloudmw://prod/client/app";
        Optional<String> other = Optional.of("cloudmw://prod/client/other");
        TransferTokens binding = new TransferTokens(secret(1), () -> now, () -> Optional.of(app));
        byte[] token = binding.issue(claims).bytes();

        TransferClaims verified = binding.verify(token, new TokenBearer(Optional.of(app), false));
        assertThat(verified.holder()).contains(app);
        assertThat(verified.file()).isEqualTo(claims.file());
        assertThat(verified.version()).isEqualTo(claims.version());
        assertThat(binding.verify(token, new TokenBearer(other, true))).isEqualTo(verified);
        refused(() -> binding.verify(token, new TokenBearer(other, false)));
        refused(() -> binding.verify(token, TokenBearer.UNKNOWN));
    }

    @Test
    void tokenForAnyBearerHasTheFormOfFormerReleases() {
        TransferTokens plain = new TransferTokens(secret(1), () -> now);
        assertThat(plain.issue(claims).bytes()[0]).isEqualTo((byte) 1);
    }
}
