package io.cloudmw.helper.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RemoteReaderTest {
    private final RemoteReader reader = new RemoteReader("chunk=c store=s owner=h", new ByteRange(0, 10), () -> {});

    @Test
    void readOfAnOverloadedHelperFailsWithARetryAfter() {
        reader.failed(CloudMwException.overloaded("no room", Duration.ofSeconds(7)));
        assertThatThrownBy(() -> reader.read(ByteBuffer.allocate(10)))
                .hasMessage("chunk=c store=s owner=h: no room")
                .isInstanceOfSatisfying(CloudMwException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED);
                    assertThat(e.retryAfter()).contains(Duration.ofSeconds(7));
                });
    }

    /** Other stores may have another copy. */
    @Test
    void readFailsAsStoreUnavailableWhenTheHelperIsDown() {
        reader.failed(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "gone"));
        assertThatThrownBy(() -> reader.read(ByteBuffer.allocate(10)))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE));
    }
}
