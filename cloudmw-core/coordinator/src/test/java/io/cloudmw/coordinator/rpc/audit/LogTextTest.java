package io.cloudmw.coordinator.rpc.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.proto.v1.GetVolumeRequest;
import org.junit.jupiter.api.Test;

final class LogTextTest {
    @Test
    void requestOfAnyLengthIsAShortLine() {
        String text = LogText.of(
                GetVolumeRequest.newBuilder().setName("x".repeat(1 << 20)).build());
        assertThat(text).startsWith("name=xxx").endsWith("x...").hasSize(503);
    }

    @Test
    void controlCharactersOfARequestAreReplaced() {
        String text = LogText.of(GetVolumeRequest.newBuilder()
                .setName("a\nERROR b\u001b[2J\u009b\u202ec")
                .build());
        assertThat(text).isEqualTo("name=a?ERROR b?[2J??c");
    }
}
