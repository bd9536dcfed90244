package io.cloudmw.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

final class ConnectionSlotsTest {
    private final ConnectionSlots slots = new ConnectionSlots(3, 2);

    @Test
    void addressHasNoMoreThanItsShare() throws Exception {
        InetAddress one = InetAddress.getByName("10.0.0.1");
        assertThat(slots.tryTake(one)).isTrue();
        assertThat(slots.tryTake(one)).isTrue();
        assertThat(slots.tryTake(one)).isFalse();
        slots.giveBack(one);
        assertThat(slots.tryTake(one)).isTrue();
        assertThat(slots.taken()).isEqualTo(2);
    }

    @Test
    void addressesTogetherHaveNoMoreThanTheLimit() throws Exception {
        assertThat(slots.tryTake(InetAddress.getByName("10.0.0.1"))).isTrue();
        assertThat(slots.tryTake(InetAddress.getByName("10.0.0.2"))).isTrue();
        assertThat(slots.tryTake(InetAddress.getByName("10.0.0.3"))).isTrue();
        assertThat(slots.tryTake(InetAddress.getByName("10.0.0.4"))).isFalse();
    }

    @Test
    void addressesOfOneNetworkOfIpv6CountAsOne() throws Exception {
        assertThat(slots.tryTake(InetAddress.getByName("2001:db8:0:1::1"))).isTrue();
        assertThat(slots.tryTake(InetAddress.getByName("2001:db8:0:1::2"))).isTrue();
        assertThat(slots.tryTake(InetAddress.getByName("2001:db8:0:1:ffff::3"))).isFalse();
        assertThat(slots.tryTake(InetAddress.getByName("2001:db8:0:2::1"))).isTrue();
    }
}
