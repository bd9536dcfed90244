package io.cloudmw.cli.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LocalSourcesTest {
    @Test
    void threadsOfAProcessHaveTheirStacks() throws Exception {
        assertThat(LocalSources.threads(ProcessHandle.current()))
                .contains("Full thread dump", "LocalSourcesTest.threadsOfAProcessHaveTheirStacks");
    }

    /** The processes of an installed package belong to a user that nobody logs in as. */
    @Test
    void rootSeesThreadsOfAllUsers() {
        assertThat(LocalSources.seesThreads("root", "cloudmw")).isTrue();
        assertThat(LocalSources.seesThreads("cloudmw", "cloudmw")).isTrue();
        assertThat(LocalSources.seesThreads("cloudmw", "root")).isFalse();
        assertThat(LocalSources.seesThreads("somebody", "cloudmw")).isFalse();
    }
}
