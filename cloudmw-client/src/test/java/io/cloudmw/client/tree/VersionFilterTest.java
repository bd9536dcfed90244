package io.cloudmw.client.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.VersionId;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class VersionFilterTest {
    private static final int MANY = 1_000_000;
    private static final int SOME = 10_000;

    private final Random random = new Random(7);

    private List<VersionId> versions(int count) {
        return Stream.generate(() -> String.format(Locale.ROOT, "%016x%016x", random.nextLong(), random.nextLong()))
                .map(VersionId::new)
                .limit(count)
                .toList();
    }

    @Test
    void addedVersionsAreKnownAndFewOthersAfterAMillion() {
        VersionFilter seen = new VersionFilter();
        List<VersionId> added = versions(SOME);
        added.forEach(seen::add);
        assertThat(versions(SOME)).noneMatch(seen::contains);
        versions(MANY - SOME).forEach(seen::add);
        assertThat(added).allMatch(seen::contains);
        assertThat(versions(SOME).stream().filter(seen::contains).count()).isLessThan(SOME / 200);
    }
}
