package io.cloudmw.helper.standalone;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class StandaloneConfigTest {
    private static final long MIB = 1 << 20;

    private static StandaloneConfig of(int helpers) {
        return new StandaloneConfig(new HostPort("127.0.0.1", 0), Path.of("data"), Path.of("secret"), helpers);
    }

    @Test
    void helpersStartWhenDirectMemorySuffices() {
        assertThatCode(() -> of(2).requireFits(128 * MIB)).doesNotThrowAnyException();
        assertThatCode(() -> of(16).requireFits(1024 * MIB)).doesNotThrowAnyException();
    }

    @Test
    void helpersBeyondDirectMemoryAreRefused() {
        assertThatThrownBy(() -> of(3).requireFits(128 * MIB))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContainingAll("standalone.helpers: 3", "<= 2", "64 MiB", "128 MiB", "MaxDirectMemorySize");
    }
}
