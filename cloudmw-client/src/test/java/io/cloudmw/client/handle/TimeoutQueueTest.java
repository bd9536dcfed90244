package io.cloudmw.client.handle;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.testing.FakeTicker;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class TimeoutQueueTest {
    private static final Duration TIME = Duration.ofMillis(500);

    private final FakeTicker ticker = new FakeTicker();
    /** The clock and timer of the queue. */
    private final EmbeddedChannel time = new EmbeddedChannel();

    private final TimeoutQueue patience = new TimeoutQueue(time.eventLoop(), ticker, TIME);
    private final List<String> late = new ArrayList<>();

    @BeforeEach
    void freeze() {
        time.freezeTime();
    }

    @AfterEach
    void close() {
        assertThat(time.finish()).isFalse();
    }

    private TimeoutQueue.Wait begin(String what) {
        return patience.begin(() -> late.add(what));
    }

    private void pass(long millis) {
        ticker.advance(Duration.ofMillis(millis));
        time.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        time.runPendingTasks();
    }

    @Test
    void eachTimeoutFiresOnceInItsTime() {
        TimeoutQueue.Wait first = begin("first");
        pass(200);
        TimeoutQueue.Wait second = begin("second");
        pass(299);
        assertThat(late).isEmpty();
        pass(1);
        assertThat(late).containsExactly("first");
        pass(200);
        assertThat(late).containsExactly("first", "second");
        pass(1000);
        first.over();
        second.over();
        assertThat(late).containsExactly("first", "second");
        assertThat(patience.waiting()).isZero();
    }

    @Test
    void endedWaitDoesNotFireAndOthersDo() {
        TimeoutQueue.Wait quick = begin("quick");
        pass(100);
        TimeoutQueue.Wait slow = begin("slow");
        quick.over();
        pass(499);
        assertThat(late).isEmpty();
        pass(1);
        assertThat(late).containsExactly("slow");
        slow.over();
    }

    @Test
    void throwingActionDoesNotAffectOtherTimeouts() {
        TimeoutQueue.Wait broken = patience.begin(() -> {
            throw new IllegalStateException("as the test wants it");
        });
        TimeoutQueue.Wait slow = begin("slow");
        pass(500);
        assertThat(late).containsExactly("slow");
        broken.over();
        slow.over();
    }

    @Test
    void waitAfterAnEmptyQueueGetsATimer() {
        begin("quick").over();
        pass(600);
        TimeoutQueue.Wait slow = begin("slow");
        pass(500);
        assertThat(late).containsExactly("slow");
        slow.over();
    }

    @Test
    void endedWaitsAreForgottenSoon() {
        for (int i = 0; i < 1000; i++) {
            begin("quick").over();
        }
        assertThat(patience.waiting()).isEqualTo(1);
        pass(500);
        assertThat(patience.waiting()).isZero();
        assertThat(late).isEmpty();
    }
}
