package io.cloudmw.helper.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.rpc.ChannelTarget;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChannelTargetTest {
    private static String authority(String target) {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget(target).usePlaintext().build();
        try {
            return channel.authority();
        } finally {
            channel.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:7400", "127.0.0.1:7400", "[::1]:7400", "[2001:db8::7]:7400"})
    void addressIsUsedAsWritten(String address) {
        assertThat(authority(ChannelTarget.of(address))).isEqualTo(address);
        assertThat(authority(ChannelTarget.of(HostPorts.parse(address)))).isEqualTo(address);
        assertThat(authority(ChannelTarget.of(HostPorts.parse(address + ",[::2]:7400,other:7400"))))
                .isEqualTo(address);
    }
}
