package io.cloudmw.helper.config;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class HelperConfigTest {
    /** Direct memory that the launcher gives helpers. */
    private static final long USUAL_BYTES = 128L << 20;

    private static HelperConfig of(Map<String, String> settings) throws CloudMwException {
        Map<String, String> given = new HashMap<>(settings);
        given.put("helper.id", "h1");
        return HelperConfig.read(Settings.of(given));
    }

    @Test
    void cacheMemoryOfASwitchMustFitBesideTheOtherBuffers() throws Exception {
        HelperConfig fits = of(Map.of("helper.switch.volumes", "*", "helper.cache.memory", "72MiB"));
        assertThatCode(() -> fits.requireFits(USUAL_BYTES)).doesNotThrowAnyException();
        HelperConfig tooMuch = of(Map.of("helper.switch.volumes", "*", "helper.cache.memory", "1GiB"));
        assertThatThrownBy(() -> tooMuch.requireFits(USUAL_BYTES))
                .hasMessageContainingAll(
                        "helper.cache.memory: 1GiB", "<= 72.0 MiB", "helper.memory.limit", "MaxDirectMemorySize");
    }

    @Test
    void helperThatIsNoSwitchNeedsNoCacheMemory() throws Exception {
        HelperConfig none = of(Map.of("helper.cache.memory", "1GiB"));
        assertThatCode(() -> none.requireFits(USUAL_BYTES)).doesNotThrowAnyException();
        HelperConfig tooMuch = of(Map.of("helper.memory.limit", "100MiB"));
        assertThatThrownBy(() -> tooMuch.requireFits(USUAL_BYTES)).hasMessageContaining("helper.memory.limit: 100MiB");
    }
}
