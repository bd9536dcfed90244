package io.cloudmw.helper.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.RevokedHolders;
import io.cloudmw.core.security.TokenHolder;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class AuthorizedStreamsTest {
    private static final ProcessIdentity APP = new ProcessIdentity("prod", ProcessRole.CLIENT, "app");

    private final TransferTokens tokens = new TransferTokens(ClusterSecret.of(new byte[32]), () -> 0);
    private final RevokedHolders revoked = new RevokedHolders();
    private final AuthorizedStreams authorized = new AuthorizedStreams(tokens.boundAndNot(revoked));
    private final List<ErrorCode> heard = new ArrayList<>();
    private final FakeBulkStream stream = new FakeBulkStream() {
        @Override
        public Optional<ProcessIdentity> peerIdentity() {
            return Optional.of(APP);
        }
    };

    private final BulkStreamListener listener = new BulkStreamListener() {
        @Override
        public void data(ByteBuf payload, int crc32c) {
            throw new AssertionError("no data");
        }

        @Override
        public void ended(byte[] trailer) {
            throw new AssertionError("no end");
        }

        @Override
        public void granted() {
            throw new AssertionError("no credit");
        }

        @Override
        public void failed(CloudMwException cause) {
            heard.add(cause.code());
        }
    };

    private TransferToken token(Optional<TokenHolder> holder) {
        return tokens.issue(new TransferClaims(
                Set.of(TransferRight.READ), FilePath.parse("v:/f"), VersionId.random(), 1000, holder));
    }

    private AuthorizedStreams.AuthorizedStream authorized() throws CloudMwException {
        AuthorizedStreams.AuthorizedStream authorization =
                authorized.authorize(token(Optional.of(new TokenHolder(APP.holder(), 0, 6))), stream);
        authorization.watch(listener);
        return authorization;
    }

    private void revoke(String identity) {
        revoked.replace(Map.of(identity, 7L));
        authorized.resetRevoked();
    }

    @Test
    void streamOfARevokedHolderIsResetOnceAndItsListenerHearsIt() throws Exception {
        authorized();
        revoke("cloudmw://prod/client/other");
        assertThat(stream.resets).isEmpty();
        revoke(APP.holder());
        authorized.resetRevoked();
        assertThat(stream.resets).containsExactly(ErrorCode.UNAUTHENTICATED);
        assertThat(heard).containsExactly(ErrorCode.UNAUTHENTICATED);
        assertThat(authorized.size()).isZero();
    }

    @Test
    void streamThatIsOverIsLeftAlone() throws Exception {
        AuthorizedStreams.AuthorizedStream authorization = authorized();
        assertThat(authorized.size()).isEqualTo(1);
        authorization.end();
        assertThat(authorized.size()).isZero();
        revoke(APP.holder());
        authorization.watch(listener);
        assertThat(stream.resets).isEmpty();
        assertThat(heard).isEmpty();
    }

    @Test
    void revocationBetweenAdmissionAndServiceEndsTheStream() throws Exception {
        AuthorizedStreams.AuthorizedStream authorization =
                authorized.authorize(token(Optional.of(new TokenHolder(APP.holder(), 0, 6))), stream);
        revoke(APP.holder());
        assertThat(stream.resets).isEmpty();
        authorization.watch(listener);
        assertThat(stream.resets).containsExactly(ErrorCode.UNAUTHENTICATED);
        assertThat(heard).containsExactly(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void revokedTokenIsNotAdmitted() {
        revoke(APP.holder());
        CloudMwException refusal = catchThrowableOfType(CloudMwException.class, this::authorized);
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(refusal).hasMessageContaining("revoked");
    }

    @Test
    void streamInPlainTextIsNotWatched() throws Exception {
        AuthorizedStreams plain = new AuthorizedStreams(tokens);
        plain.authorize(token(Optional.empty()), stream).watch(listener);
        assertThat(plain.size()).isZero();
    }
}
