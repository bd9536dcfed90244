package io.cloudmw.core.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An extension that gives every await two minutes instead of Awaitility's ten seconds: on a busy machine anything may
 * take long, and no test is about durations. JUnit finds it by itself, in every module whose tests have the test-jar
 * on their class path.
 */
public final class LongAwaits implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
    }
}
