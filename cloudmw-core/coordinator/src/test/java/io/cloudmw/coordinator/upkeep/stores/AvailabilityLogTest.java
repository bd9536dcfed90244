package io.cloudmw.coordinator.upkeep.stores;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests of the log of a coordinator whose helpers go and come back. */
final class AvailabilityLogTest {
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private TestCluster cluster;

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(AvailabilityLog.class);
    }

    @BeforeEach
    void threeHelpersWithADiskEach() throws CloudMwException {
        cluster = new TestCluster().withVolume(1);
        log.start();
        logger().setLevel(Level.INFO);
        logger().addAppender(log);
        pass(1, 1, 2, 3);
    }

    @AfterEach
    void stopListening() {
        logger().detachAppender(log);
        logger().setLevel(null);
    }

    /** Passes some seconds, in each of which these helpers are heard. */
    private void pass(int seconds, int... helpers) throws CloudMwException {
        for (int i = 0; i < seconds; i++) {
            cluster.ticker.advance(Duration.ofSeconds(1));
            for (int helper : helpers) {
                cluster.heartbeat(helper);
            }
            cluster.coordinator.upkeep().tick();
        }
    }

    private List<String> lines() {
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @Test
    void lostHelperAndItsDiskAreLoggedOnceAndTheDiskAgainWhenItIsBack() throws CloudMwException {
        assertThat(lines()).isEmpty();
        pass(20, 1, 2);
        assertThat(lines())
                .containsExactly(
                        "WARN helper is lost, its lease has ended: helper=h3",
                        "WARN store is unavailable: store=d3 of helper=h3");
        assertThat(log.list.get(1).getArgumentArray())
                .as("values that become fields of JSON lines")
                .contains(new HelperId("h3"), TestCluster.disk(3).id());

        cluster.helper(3);
        pass(2, 1, 2, 3);
        assertThat(lines())
                .hasSize(3)
                .last()
                .asString()
                .matches("INFO store is available again: store=d3 after=1\\d s");
    }

    @Test
    void helperThatLeavesIsNotLost() throws CloudMwException {
        cluster.leave(3);
        pass(1, 1, 2);
        assertThat(lines())
                .containsExactly("INFO helper has left: helper=h3", "WARN store is unavailable: store=d3 of helper=h3");
    }

    @Test
    void manyLinesOfOneLookAreLeftOut() throws CloudMwException {
        for (int number = 4; number <= AvailabilityLog.MOST_LINES + 5; number++) {
            cluster.helper(number);
        }
        pass(1, 1, 2, 3);
        cluster.ticker.advance(cluster.options.helperTtl());
        cluster.coordinator.upkeep().tick();
        assertThat(lines())
                .hasSize(2 * (AvailabilityLog.MOST_LINES + 1))
                .contains("WARN 5 more helpers are lost", "WARN 5 more stores are unavailable");
    }

    @Test
    void storesThatAreAwayAtTheStartAreNotLogged() throws CloudMwException {
        cluster.restart();
        cluster.coordinator.upkeep().tick();
        cluster.helper(1);
        pass(10, 1);
        assertThat(lines()).isEmpty();
    }
}
