package io.cloudmw.client.embedding;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.Reporter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * A check for SLF4J providers that silences one warning. Without a provider, SLF4J writes three lines to standard error
 * when it starts. For that moment only, and only without a provider, this raises SLF4J's reporting level. All other
 * warnings of SLF4J stay.
 */
final class LogProviders {
    /** Names the provider that SLF4J loads, even one that is on no list. */
    private static final String CHOSEN_PROVIDER = "slf4j.provider";

    /** Providers for SLF4J 1.7 and earlier have this class; SLF4J warns that it ignores them. */
    private static final String EARLIER_PROVIDER = "org/slf4j/impl/StaticLoggerBinder.class";

    /** SLF4J 1.7 and earlier, which Hadoop 3.4 brings, lack this class, and warn in another way. */
    private static final String PROVIDER = "org/slf4j/spi/SLF4JServiceProvider.class";

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
                    || loader.getResource(PROVIDER) == null
                    || ServiceLoader.load(SLF4JServiceProvider.class, loader)
                            .iterator()
                            .hasNext();
        } catch (ServiceConfigurationError e) {
            // A broken provider is SLF4J's to report.
            return true;
        }
    }
}
