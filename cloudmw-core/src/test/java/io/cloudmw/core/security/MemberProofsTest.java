package io.cloudmw.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class MemberProofsTest {
    private static final long NOW = 1_700_000_000_000L;

    private long now = NOW;
    private final MemberProofs proofs = new MemberProofs(secret(1), () -> now);

    private static ClusterSecret secret(int fill) {
        byte[] bytes = new byte[ClusterSecret.MIN_BYTES];
        Arrays.fill(bytes, (byte) fill);
        return ClusterSecret.of(bytes);
    }

    private void refused(String request, @Nullable String proof, String why) {
        assertThatThrownBy(() -> proofs.verify(request, proof))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED))
                .hasMessageContaining(why);
    }

    @Test
    void aProcessWithTheSecretIsAMemberForItsRequest() throws Exception {
        String proof = proofs.prove("register");
        proofs.verify("register", proof);
        refused("heartbeat", proof, "secret-file");
        refused("register", new MemberProofs(secret(2), () -> now).prove("register"), "secret-file");
    }

    @Test
    void aProofIsGoodForAWhileAndClocksMayDifferByAsMuch() throws Exception {
        String proof = proofs.prove("register");
        for (int sign : new int[] {1, -1}) {
            now = NOW + sign * MemberProofs.VALIDITY.toMillis();
            proofs.verify("register", proof);
            now += sign;
            refused("register", proof, "clock 300 s");
        }
    }

    @Test
    void malformedProofsAreRefused() {
        String proof = proofs.prove("register");
        refused("register", null, "without a proof");
        refused("register", "", "without a proof");
        refused("register", proof + "0", "without a proof");
        refused("register", "9".repeat(99) + proof, "without a proof");
        refused("register", (NOW + 1) + proof.substring(proof.indexOf('-')), "secret-file");
    }
}
