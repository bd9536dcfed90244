package io.cloudmw.coordinator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.HelperId;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class HelperConnectionStatesTest {
    private static final HelperId HELPER = new HelperId("h1");
    private static final InetSocketAddress FIRST = InetSocketAddress.createUnresolved("127.0.0.1", 1001);
    private static final InetSocketAddress SECOND = InetSocketAddress.createUnresolved("127.0.0.1", 1002);

    private final HelperConnectionStates connections = new HelperConnectionStates();

    @Test
    void helperIsLostFromTheEndOfItsConnectionUntilItIsHeardAgain() {
        connections.heard(HELPER, FIRST);
        assertThat(connections.isLost(HELPER)).isFalse();
        connections.ended(SECOND);
        assertThat(connections.isLost(HELPER)).isFalse();
        connections.ended(FIRST);
        assertThat(connections.isLost(HELPER)).isTrue();
        connections.heard(HELPER, SECOND);
        assertThat(connections.isLost(HELPER)).isFalse();
    }

    @Test
    void endOfAnEarlierConnectionDoesNotCount() {
        connections.heard(HELPER, FIRST);
        connections.heard(HELPER, SECOND);
        connections.ended(FIRST);
        assertThat(connections.isLost(HELPER)).isFalse();
        connections.ended(SECOND);
        assertThat(connections.isLost(HELPER)).isTrue();
    }

    @Test
    void helpersBeyondTheMostAreNotFollowed() {
        for (int i = 0; i <= HelperRegistry.MAX_HELPERS; i++) {
            connections.heard(new HelperId("h" + i), InetSocketAddress.createUnresolved("127.0.0.1", 1 + i));
        }
        HelperId beyond = new HelperId("h" + HelperRegistry.MAX_HELPERS);
        connections.ended(InetSocketAddress.createUnresolved("127.0.0.1", 1 + HelperRegistry.MAX_HELPERS));
        assertThat(connections.isLost(beyond)).isFalse();
    }
}
