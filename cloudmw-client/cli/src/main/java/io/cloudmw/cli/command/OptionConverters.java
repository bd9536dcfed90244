package io.cloudmw.cli.command;

import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.ErrorWording;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.model.VersionId;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The converters of option values. Picocli calls them, so that its message names the option of a wrong value. */
public final class OptionConverters {
    private OptionConverters() {}

    /** The converter of sizes, like {@code 64MiB}. */
    public static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return converted(Sizes::parse, text);
        }
    }

    /** The converter of durations, like {@code 2s}. */
    public static final class Time implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return converted(Durations::parse, text);
        }
    }

    /** The converter of durations that may also be a bare number of seconds. */
    static final class Timeout implements ITypeConverter<Duration> {
        private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

        @Override
        public Duration convert(String text) {
            return SECONDS.matcher(text).matches()
                    ? Duration.ofSeconds(Long.parseLong(text))
                    : converted(Durations::parse, text);
        }
    }

    /** The converter of addresses, like {@code host:port}. */
    static final class Address implements ITypeConverter<HostPort> {
        @Override
        public HostPort convert(String text) {
            return converted(HostPort::parse, text);
        }
    }

    /** The converter of version ids. */
    public static final class Version implements ITypeConverter<VersionId> {
        @Override
        public VersionId convert(String text) {
            return converted(VersionId::new, text);
        }
    }

    /**
     * Parses a law of an emulated store.
     *
     * @param option the option that has the law as its value
     * @param more a suffix for the given law, like {@code ,seed=1}
     * @throws IllegalArgumentException when the law is malformed; the message has the option and its value
     */
    public static StoreLaw law(String option, String text, String more) {
        try {
            return StoreLaw.parse(text + more);
        } catch (IllegalArgumentException e) {
            ErrorWording.GivenValue written = new ErrorWording.GivenValue(option, Optional.of(text));
            throw new IllegalArgumentException(
                    ErrorWording.withGivenNames(
                            name -> name.equals("law") ? Optional.of(written) : Optional.empty(),
                            String.valueOf(e.getMessage())),
                    e);
        }
    }

    private static <T> T converted(Function<String, T> form, String text) {
        try {
            return form.apply(text);
        } catch (IllegalArgumentException e) {
            String said = String.valueOf(e.getMessage());
            // Picocli adds the name of the option, which replaces the kind of value at the start of the message.
            throw new TypeConversionException(said.substring(said.indexOf(": ") + 2));
        }
    }
}
