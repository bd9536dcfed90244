package io.cloudmw.core.config;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings a process was started with: a properties file, over it environment variables ({@code
 * helper.race.hedge-delay} is {@code CLOUDMW_HELPER_RACE_HEDGE_DELAY}), over them the command line.
 *
 * <p>Components read settings through the typed accessors, which check form and bounds. Reading a key makes it known:
 * after everything was read, {@link #finish()} refuses unknown keys and names the nearest known one. Failures are
 * {@code INVALID_ARGUMENT} and name the key, the given value and the expected form. Not safe for several threads.
 */
public final class Settings {
    private static final String REDACTED = "<redacted>";
    private static final String ENVIRONMENT_PREFIX = "CLOUDMW_";

    private final Map<String, String> given;
    private final Map<String, String> environment;
    private final Map<String, Setting> known = new LinkedHashMap<>();
    private final Map<String, Fallback> fallbacks = new HashMap<>();

    /** A value for a key that no source gives, with its name in messages. */
    private record Fallback(String name, String value) {}

    private Settings(Map<String, String> given, Map<String, String> environment) {
        this.given = Map.copyOf(given);
        this.environment = Map.copyOf(environment);
    }

    /** Settings given by the caller alone. */
    public static Settings of(Map<String, String> given) {
        return new Settings(given, Map.of());
    }

    /**
     * Settings from all sources.
     *
     * @param file a properties file in UTF-8; none: only the other sources
     * @param environment usually {@code System.getenv()}; it wins over the file
     * @param overrides usually from the command line; they win over everything
     * @throws CloudMwException {@code LOCAL_IO} when the file cannot be read
     */
    public static Settings load(Optional<Path> file, Map<String, String> environment, Map<String, String> overrides)
            throws CloudMwException {
        Map<String, String> fromFile = new HashMap<>();
        if (file.isPresent()) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file.get(), StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw new CloudMwException(
                        ErrorCode.LOCAL_IO, "settings file " + file.get() + ": cannot be read: " + Reasons.of(e), e);
            }
            properties.stringPropertyNames().forEach(key -> fromFile.put(key, properties.getProperty(key)));
        }
        Map<String, String> withoutOverridden = new HashMap<>(environment);
        overrides.keySet().forEach(key -> withoutOverridden.remove(environmentName(key)));
        fromFile.putAll(overrides);
        return new Settings(fromFile, withoutOverridden);
    }

    /** The environment variable of {@code key}. */
    public static String environmentName(String key) {
        return ENVIRONMENT_PREFIX
                + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /**
     * Sets a value that counts when neither the file, the key's own variable nor the command line gives the key.
     *
     * @param name the value's name in messages, for instance an environment variable
     */
    public void fallBack(String key, String name, String value) {
        fallbacks.put(key, new Fallback(name, value));
    }

    public String text(String key, String defaultValue) {
        return value(key, defaultValue, false).orElse(defaultValue);
    }

    /** A required setting: without it the process cannot start. */
    public String requiredText(String key) throws CloudMwException {
        return value(key, "", false)
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        key + ": missing (set it in the settings file or as " + environmentName(key) + ")"));
    }

    /** A secret, which is never shown. */
    public Optional<String> secret(String key) {
        return value(key, "", true);
    }

    public boolean flag(String key, boolean defaultValue) throws CloudMwException {
        return read(key, Boolean.toString(defaultValue), "true or false", text -> switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(text);
        });
    }

    public int integer(String key, int defaultValue, int min, int max) throws CloudMwException {
        return read(key, Integer.toString(defaultValue), min + ".." + max, text -> {
            return checked(Integer.valueOf(text), min, max);
        });
    }

    public long number(String key, long defaultValue, long min, long max) throws CloudMwException {
        return read(key, Long.toString(defaultValue), min + ".." + max, text -> {
            return checked(Long.valueOf(text), min, max);
        });
    }

    /** A size in bytes, written like {@code 64MiB}. */
    public long size(String key, long defaultBytes, long min, long max) throws CloudMwException {
        String expected = "a size like 64MiB, " + Sizes.format(min) + ".." + Sizes.format(max);
        return read(key, Sizes.format(defaultBytes), expected, text -> checked(Sizes.parse(text), min, max));
    }

    /** A duration, written like {@code 2s}. */
    public Duration duration(String key, Duration defaultValue, Duration min, Duration max) throws CloudMwException {
        String expected = "a duration like 2s, " + Durations.format(min) + ".." + Durations.format(max);
        return read(key, Durations.format(defaultValue), expected, text -> checked(Durations.parse(text), min, max));
    }

    public HostPort address(String key, HostPort defaultValue) throws CloudMwException {
        return read(key, defaultValue.toString(), "host:port", HostPort::parse);
    }

    public Optional<HostPort> optionalAddress(String key) throws CloudMwException {
        return optional(key, "host:port", HostPort::parse);
    }

    public Path path(String key, Path defaultValue) throws CloudMwException {
        return read(key, defaultValue.toString(), "a path", Settings::toPath);
    }

    public Optional<Path> optionalPath(String key) throws CloudMwException {
        return optional(key, "a path", Settings::toPath);
    }

    /** A value of any form: {@code parser} throws {@link IllegalArgumentException} for text it does not accept. */
    public <T> Optional<T> optional(String key, String expected, Function<String, T> parser) throws CloudMwException {
        Optional<String> text = value(key, "", false);
        return text.isPresent() ? Optional.of(parse(key, text.get(), expected, parser)) : Optional.empty();
    }

    /** Like {@link #optional}, with a default in written form. */
    public <T> T read(String key, String defaultValue, String expected, Function<String, T> parser)
            throws CloudMwException {
        return parse(key, value(key, defaultValue, false).orElse(defaultValue), expected, parser);
    }

    /**
     * Makes an object of settings that were read; the object checks them together.
     *
     * @param prefix of their keys
     * @throws CloudMwException {@code INVALID_ARGUMENT}, naming the setting, when it refuses one by the last part of
     *     its key
     */
    public <T> T made(String prefix, Supplier<T> maker) throws CloudMwException {
        try {
            return maker.get();
        } catch (IllegalArgumentException e) {
            String message =
                    ErrorWording.withGivenNames(name -> given(prefix + "." + name), String.valueOf(e.getMessage()));
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    message.startsWith(prefix + ".") ? message : prefix + ": " + message,
                    e);
        }
    }

    private Optional<ErrorWording.GivenValue> given(String key) {
        return Optional.ofNullable(known.get(key))
                .map(setting -> new ErrorWording.GivenValue(key, Optional.of(setting.value())));
    }

    /**
     * The next parts of all given keys that start with {@code prefix} and a dot, in order. They name groups of
     * settings, such as {@code helper.disk.<name>.path}.
     */
    public List<String> names(String prefix) {
        TreeSet<String> names = new TreeSet<>();
        for (String key : given.keySet()) {
            if (key.startsWith(prefix + ".")) {
                String rest = key.substring(prefix.length() + 1);
                int dot = rest.indexOf('.');
                names.add(dot < 0 ? rest : rest.substring(0, dot));
            }
        }
        return List.copyOf(names);
    }

    /** Every setting read so far, in that order. */
    public List<Setting> known() {
        return List.copyOf(known.values());
    }

    /**
     * Refuses unknown keys; called when every component has read its settings.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when no component read a given key, naming the nearest one
     *     that was read; so for an environment variable that begins like those of keys that were read
     */
    public void finish() throws CloudMwException {
        List<String> unknown = unknown("");
        unknown.addAll(unknownVariables());
        refuse(unknown);
    }

    /** Like {@link #finish}, for the group of given keys with {@code prefix} alone. */
    public void refuseUnknown(String prefix) throws CloudMwException {
        refuse(unknown(prefix));
    }

    private static void refuse(List<String> unknown) throws CloudMwException {
        if (!unknown.isEmpty()) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.join("; ", unknown));
        }
    }

    private List<String> unknown(String prefix) {
        List<String> unknown = new ArrayList<>();
        for (String key : new TreeSet<>(given.keySet())) {
            boolean asked = prefix.isEmpty() || key.equals(prefix) || key.startsWith(prefix + ".");
            if (asked && !known.containsKey(key)) {
                unknown.add("unknown setting " + key + hint(key, known.keySet()));
            }
        }
        return unknown;
    }

    private List<String> unknownVariables() {
        Set<String> names = new LinkedHashSet<>();
        Set<String> prefixes = new HashSet<>();
        for (String key : known.keySet()) {
            names.add(environmentName(key));
            prefixes.add(environmentName(key.substring(0, key.indexOf('.') + 1)));
        }
        // A key without a component would claim every variable that begins with CLOUDMW_: the launcher's and the
        // client's.
        prefixes.remove(ENVIRONMENT_PREFIX);
        return new TreeSet<>(environment.keySet())
                .stream()
                        .filter(name ->
                                !names.contains(name) && prefixes.stream().anyMatch(name::startsWith))
                        .map(name -> "unknown environment variable " + name + hint(name, names))
                        .toList();
    }

    private static String hint(String word, Set<String> candidates) {
        return candidates.isEmpty() ? "" : " (did you mean " + EditDistance.nearest(word, candidates) + "?)";
    }

    private Optional<String> value(String key, String defaultValue, boolean secret) {
        Optional<String> value = written(key).or(() -> fallback(key).map(Fallback::value));
        String shown = value.orElse(defaultValue);
        known.put(key, new Setting(key, defaultValue, secret && value.isPresent() ? REDACTED : shown));
        return value;
    }

    /** The value of the file, the key's variable or the command line; a blank one counts as none. */
    private Optional<String> written(String key) {
        @Nullable String fromEnvironment = environment.get(environmentName(key));
        return stripped(fromEnvironment != null ? fromEnvironment : given.get(key));
    }

    private Optional<Fallback> fallback(String key) {
        return Optional.ofNullable(fallbacks.get(key))
                .flatMap(found -> stripped(found.value()).map(value -> new Fallback(found.name(), value)));
    }

    private static Optional<String> stripped(@Nullable String text) {
        return Optional.ofNullable(text).map(String::strip).filter(stripped -> !stripped.isEmpty());
    }

    private <T> T parse(String key, String text, String expected, Function<String, T> parser) throws CloudMwException {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            Optional<Fallback> used = written(key).isPresent() ? Optional.empty() : fallback(key);
            String name = used.map(Fallback::name).orElse(key);
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, name + ": \"" + text + "\" (expected: " + expected + ")", e);
        }
    }

    private static Path toPath(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static <T extends Comparable<T>> T checked(T value, T min, T max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException("out of bounds: " + value);
        }
        return value;
    }

    /**
     * The keys that were read and their values, without secrets. Unread values are left out, because they may be
     * secrets.
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Settings[");
        known.values()
                .forEach(setting -> text.append(text.length() > 9 ? ", " : "")
                        .append(setting.key())
                        .append('=')
                        .append(setting.value()));
        return text.append(']').toString();
    }
}
