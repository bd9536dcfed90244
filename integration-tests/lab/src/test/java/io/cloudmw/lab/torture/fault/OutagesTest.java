package io.cloudmw.lab.torture.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.lab.torture.model.CallInterval;
import org.junit.jupiter.api.Test;

final class OutagesTest {
    private final Outages outages = new Outages();

    @Test
    void pastOutageCountsWhereItOverlaps() {
        outages.begin("disk-1", 10);
        outages.end("disk-1", 20);
        outages.begin("disk-1", 40);
        outages.end("disk-1", 50);
        assertThat(outages.nanos("disk-1", new CallInterval(0, 9))).isZero();
        assertThat(outages.nanos("disk-1", new CallInterval(15, 45))).isEqualTo(10);
        assertThat(outages.nanos("disk-1", new CallInterval(21, 39))).isZero();
        assertThat(outages.nanos("disk-2", new CallInterval(0, 100))).isZero();
        assertThat(outages.lasts("disk-1")).isFalse();
    }

    @Test
    void openOutageCountsUpToNow() {
        outages.begin("disk-1", 10);
        assertThat(outages.lasts("disk-1")).isTrue();
        assertThat(outages.nanos("disk-1", new CallInterval(0, 5))).isZero();
        assertThat(outages.nanos("disk-1", new CallInterval(0, 15))).isEqualTo(5);
        assertThat(outages.nanos("disk-1", new CallInterval(30, 100))).isEqualTo(70);
    }
}
