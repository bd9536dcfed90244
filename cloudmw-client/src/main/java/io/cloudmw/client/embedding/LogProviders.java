package io.cloudmw.client.embedding;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.Reporter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * SLF4J writes three lines to standard error when it finds no provider. Its own setting of how much it reports is read once,
 * when it starts. The setting is raised for that moment only, and only where there is no provider: whatever else SLF4J would say
 * of an application's logging (two providers, one of a wrong version) it still says.
 */
final class LogProviders {
    /** Makes SLF4J load the provider that it is told of, which may be on no list. */
    private static final String CHOSEN_PROVIDER = "slf4j.provider";

    /** Providers for SLF4J 1.7 and earlier have this class; SLF4J warns that it ignores them. */
    private static final String EARLIER_PROVIDER = "org/slf4j/impl/StaticLoggerBinder.class";

    private LogProviders() {}

    static void keepQuiet() {
        if (!isThereAny()) {
            TemporaryProperty.set(Reporter.SLF4J_INTERNAL_VERBOSITY_KEY, "ERROR", LoggerFactory::getILoggerFactory);
        }
    }

    private static boolean isThereAny() {
        ClassLoader loader = LoggerFactory.class.getClassLoader();
        try {
            return System.getProperty(CHOSEN_PROVIDER) != null
                    || loader == null
                    || loader.getResource(EARLIER_PROVIDER) != null
                    || ServiceLoader.load(SLF4JServiceProvider.class, loader)
                            .iterator()
                            .hasNext();
        } catch (ServiceConfigurationError e) {
            // There is one, and it is broken: that is for SLF4J to report.
            return true;
        }
    }
}
