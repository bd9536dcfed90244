package io.cloudmw.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of a server with one connection in its handshake at most. */
final class BulkConnectionLimitsTest {
    private final BulkConnectionLimits limits = new BulkConnectionLimits(1, new OpenChannels());

    /** A connection from an address. */
    private static final class Peer extends EmbeddedChannel {
        @Override
        protected @Nullable SocketAddress remoteAddress0() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }
    }

    private static Optional<BulkViolation> refusal(Optional<BulkConnectionLimits.Decision> decision) {
        return decision.map(BulkConnectionLimits.Decision::refusal).map(ViolationException::kind);
    }

    @Test
    void refusedConnectionsThatAreToldTheReasonHaveALimit() {
        Peer first = new Peer();
        Optional<BulkConnectionLimits.Decision> accepted = limits.decide(first);
        assertThat(accepted).isPresent();
        assertThat(refusal(accepted)).isEmpty();

        List<Peer> told = new ArrayList<>();
        for (int i = 0; i < BulkConnectionLimits.MAX_TOLD; i++) {
            told.add(new Peer());
            assertThat(refusal(limits.decide(told.get(i)))).contains(BulkViolation.TOO_MANY_HANDSHAKES);
        }
        assertThat(limits.decide(new Peer())).isEmpty();

        told.get(0).close().syncUninterruptibly();
        assertThat(refusal(limits.decide(new Peer()))).contains(BulkViolation.TOO_MANY_HANDSHAKES);
        assertThat(limits.decide(new Peer())).isEmpty();

        accepted.orElseThrow().greeted().run();
        first.close().syncUninterruptibly();
        Optional<BulkConnectionLimits.Decision> next = limits.decide(new Peer());
        assertThat(next).isPresent();
        assertThat(refusal(next)).isEmpty();
    }
}
