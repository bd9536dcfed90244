package io.cloudmw.it.consumer;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** A JDK of this machine, of release 17 or later, which the client supports. */
public record Jdk(Path home, int feature) {
    private static final int FIRST = 17;

    /** The directories that packages and installers put JDKs into, one JDK in each entry. */
    private static final List<Path> USUAL = List.of(
            Path.of("/usr/lib/jvm"),
            Path.of("/opt/java"),
            Path.of("/Library/Java/JavaVirtualMachines"),
            Path.of(System.getProperty("user.home"), "Library/Java/JavaVirtualMachines"),
            Path.of(System.getProperty("user.home"), ".sdkman/candidates/java"));

    /**
     * Returns the JDKs of this machine, each once. The JDK of the tests comes first; then {@code JAVA_HOME}, {@code
     * CLOUDMW_TEST_JDKS} (homes, separated as in a class path) and those in the usual places, by version.
     *
     * @throws IllegalStateException when {@code CLOUDMW_TEST_JDKS} names a directory that is not a JDK
     */
    public static List<Jdk> all() {
        Map<Path, Jdk> found = new LinkedHashMap<>();
        Path running = Path.of(System.getProperty("java.home"));
        add(found, running);
        Optional.ofNullable(System.getenv("JAVA_HOME")).ifPresent(home -> add(found, Path.of(home)));
        for (String named : Optional.ofNullable(System.getenv("CLOUDMW_TEST_JDKS"))
                .orElse("")
                .split(File.pathSeparator, -1)) {
            if (!named.isEmpty() && !add(found, Path.of(named))) {
                throw new IllegalStateException("CLOUDMW_TEST_JDKS: " + named + " is no JDK (expected: " + FIRST
                        + " or later, with bin/java, bin/javac and release)");
            }
        }
        List<Jdk> usual = new ArrayList<>();
        USUAL.stream().flatMap(Jdk::entries).forEach(home -> of(home).ifPresent(usual::add));
        usual.sort(Comparator.comparing(Jdk::feature).thenComparing(Jdk::home));
        usual.forEach(jdk -> found.putIfAbsent(jdk.home(), jdk));
        return List.copyOf(found.values());
    }

    /** Returns a JDK of each feature release, since builds of the same release do not differ for these tests. */
    public static List<Jdk> oneOfEachRelease() {
        Map<Integer, Jdk> releases = new LinkedHashMap<>();
        all().forEach(jdk -> releases.putIfAbsent(jdk.feature(), jdk));
        return List.copyOf(releases.values());
    }

    Path tool(String name) {
        return home.resolve("bin").resolve(name);
    }

    private static boolean add(Map<Path, Jdk> found, Path home) {
        Optional<Jdk> jdk = of(home);
        jdk.ifPresent(it -> found.putIfAbsent(it.home(), it));
        return jdk.isPresent();
    }

    private static Stream<Path> entries(Path directory) {
        if (!Files.isDirectory(directory)) {
            return Stream.empty();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.flatMap(entry -> Stream.of(entry, entry.resolve("Contents/Home"))).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<Jdk> of(Path home) {
        try {
            Path release = home.resolve("release");
            if (!Files.isExecutable(home.resolve("bin/java"))
                    || !Files.isExecutable(home.resolve("bin/javac"))
                    || !Files.isReadable(release)) {
                return Optional.empty();
            }
            Properties properties = new Properties();
            try (var in = Files.newBufferedReader(release)) {
                properties.load(in);
            }
            String version = properties.getProperty("JAVA_VERSION", "").replace("\"", "");
            int feature = Runtime.Version.parse(version).feature();
            return feature < FIRST ? Optional.empty() : Optional.of(new Jdk(home.toRealPath(), feature));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalArgumentException e) {
            // A version in another format is that of a release before 9.
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return "JDK " + feature + " at " + home;
    }
}
