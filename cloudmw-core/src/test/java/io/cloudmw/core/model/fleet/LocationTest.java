package io.cloudmw.core.model.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class LocationTest {
    private static final Location HOST = Location.parse("zone-a/rack_1/h.3");

    @Test
    void locationsAreReadAsTheyWereWritten() {
        assertThat(Location.parse(HOST.toString())).isEqualTo(HOST);
        assertThat(Location.parse("")).isEqualTo(Location.NONE);
        assertThat(Location.NONE.toString()).isEmpty();
    }

    @Test
    void locationsThatShareMoreLeadingLabelsAreNearer() {
        assertThat(HOST.shared(HOST)).isEqualTo(3);
        assertThat(HOST.shared(Location.parse("zone-a/rack_1/h.4"))).isEqualTo(2);
        assertThat(HOST.shared(Location.parse("zone-a/rack_2/h.3"))).isEqualTo(1);
        assertThat(HOST.shared(Location.parse("zone-b/rack_1/h.3"))).isZero();
        assertThat(HOST.shared(Location.NONE)).isZero();
    }

    @Test
    void locationsAreInTheirOuterLocations() {
        assertThat(HOST.outer()).isEqualTo(Location.parse("zone-a/rack_1"));
        assertThat(Location.NONE.outer()).isEqualTo(Location.NONE);
        assertThat(HOST.isIn(HOST.outer())).isTrue();
        assertThat(HOST.isIn(HOST)).isTrue();
        assertThat(HOST.isIn(Location.NONE)).isTrue();
        assertThat(HOST.outer().isIn(HOST)).isFalse();
    }

    @Test
    void otherFormsAreRefused() {
        for (String text : new String[] {"/", "a/", "/a", "a//b", "a b", "1/2/3/4/5/6/7/8/9", "x".repeat(64)}) {
            assertThatThrownBy(() -> Location.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 8 labels");
        }
    }
}
