package io.cloudmw.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

final class BuildTest {
    @Test
    void aBuildIsNamedByItsReleaseAndItsCommit() {
        Properties notes = new Properties();
        assertThat(Build.describe("0.1.0", notes)).isEqualTo("cloudmw 0.1.0 (commit unknown)");
        assertThat(Build.describe(null, notes)).isEqualTo("cloudmw not from its jar (commit unknown)");
        notes.setProperty("git.commit.id.abbrev", "0123abc");
        notes.setProperty("git.commit.time", "2026-11-22T03:50:00Z");
        assertThat(Build.describe("0.1.0", notes)).isEqualTo("cloudmw 0.1.0 (commit 0123abc, 2026-11-22T03:50:00Z)");
        notes.setProperty("git.dirty", "true");
        assertThat(Build.describe("0.1.0", notes))
                .isEqualTo("cloudmw 0.1.0 (commit 0123abc and changes, 2026-11-22T03:50:00Z)");
    }
}
