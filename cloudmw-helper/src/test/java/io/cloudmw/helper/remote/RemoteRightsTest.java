package io.cloudmw.helper.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RemoteRightsTest {
    private static final long END = 1000;

    private final TransferTokens tokens =
            new TransferTokens(ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]), () -> 0);
    private final TransferClaims claims = new TransferClaims(
            Set.of(TransferRight.READ), new FilePath(new VolumeName("v"), "/f"), VersionId.random(), END);
    private final TransferToken shown = tokens.issue(claims);
    private final RemoteRights rights = new RemoteRights(shown, claims, tokens, () -> Urgency.of(Priority.BATCH));
    private final ChunkId shared = new ChunkId(VersionId.random(), 0);

    private TransferClaims toldUntil(long untilMillis) throws CloudMwException {
        return tokens.verify(rights.until(untilMillis).toRead(shared).bytes());
    }

    @Test
    void helperGetsTheTransfersTokenForChunksOfItsVersion() {
        assertThat(rights.until(END / 2).toRead(new ChunkId(claims.version(), 3)))
                .isEqualTo(shown);
    }

    @Test
    void rightThatEndsEarlierIsNotProlonged() throws Exception {
        assertThat(toldUntil(END / 2).expiresAtMillis()).isEqualTo(END / 2);
        assertThat(toldUntil(END / 2).version()).isEqualTo(shared.version());
    }

    @Test
    void rightNeverEndsLaterThanTheTransfers() throws Exception {
        assertThat(toldUntil(Long.MAX_VALUE).expiresAtMillis()).isEqualTo(END);
    }
}
