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

/** Values as they are written on the command line, for the parser to convert: it knows the option to name when one is wrong. */
public final class OptionConverters {
    private OptionConverters() {}

    /** Bytes, like {@code 64MiB}. */
    public static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return converted(Sizes::parse, text);
        }
    }

    /** A duration, like {@code 2s}. */
    public static final class Time implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return converted(Durations::parse, text);
        }
    }

    /** A duration, or a bare number of seconds. */
    static final class Timeout implements ITypeConverter<Duration> {
        private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

        @Override
        public Duration convert(String text) {
            return SECONDS.matcher(text).matches()
                    ? Duration.ofSeconds(Long.parseLong(text))
                    : converted(Durations::parse, text);
        }
    }

    /** An address, like {@code host:port}. */
    static final class Address implements ITypeConverter<HostPort> {
        @Override
        public HostPort convert(String text) {
            return converted(HostPort::parse, text);
        }
    }

    /** The id of a file's version. */
    public static final class Version implements ITypeConverter<VersionId> {
        @Override
        public VersionId convert(String text) {
            return converted(VersionId::new, text);
        }
    }

    /**
     * Reads a law.
     *
     * @param option that says it
     * @param more what is added to the law that was written, like {@code ,seed=1}
     * @throws IllegalArgumentException when it is none; names the option and what was written
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
            // What kind of value it is the option says.
            throw new TypeConversionException(said.substring(said.indexOf(": ") + 2));
        }
    }
}
