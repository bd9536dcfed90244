package io.cloudmw.it.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.lab.fleet.LocalFleet;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the README's snippet in an application of its own, on each JDK found, against processes. */
final class ConsumerIT {
    private static final int SIZE = (32 << 20) + 5;
    private static final String UNSAFE_DENIED = "-Dio.netty.noUnsafe=true";
    private static final String NATIVE_GRANTED = "--enable-native-access=ALL-UNNAMED";

    @TempDir
    static Path fleetDirectory;

    private static LocalFleet fleet;
    private static Path source;

    @TempDir
    Path directory;

    /** A JDK with options for its JVM. */
    record Run(Jdk jdk, List<String> options) {}

    @BeforeAll
    static void start() throws IOException {
        Path launcher = Path.of("..", "cloudmw").toAbsolutePath().normalize();
        fleet = new LocalFleet(fleetDirectory, launcher, Map.of("CLOUDMW_JAVA_OPTS", "-XX:TieredStopAtLevel=1"));
        fleet.startCoordinator(Map.of());
        List<StoreId> disks = List.of(new StoreId("disk-1"), new StoreId("disk-2"));
        for (StoreId disk : disks) {
            fleet.startHelper("helper-of-" + disk, fleet.disk(disk.value()));
        }
        try (CloudMw client = CloudMw.connect(fleet.coordinatorAddress())) {
            client.volumes()
                    .create(new Volume(
                            new VolumeName("data"), new Chunking.ByCount(3), 2, disks, 2, Mode.DEFAULT, false, 0))
                    .join();
        }
        byte[] bytes = new byte[SIZE];
        new SplittableRandom(SIZE).nextBytes(bytes);
        source = Files.write(fleetDirectory.resolve("source"), bytes);
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    static Stream<Run> runs() {
        return Jdk.oneOfEachRelease().stream().flatMap(jdk -> {
            List<Run> runs = new ArrayList<>(List.of(new Run(jdk, List.of()), new Run(jdk, List.of(UNSAFE_DENIED))));
            if (jdk.feature() >= 24) {
                runs.add(new Run(jdk, List.of(NATIVE_GRANTED)));
            }
            return runs.stream();
        });
    }

    static Stream<Jdk> jdks() {
        return Jdk.oneOfEachRelease().stream();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void theReadmesSnippetPutsAndGetsAndPrintsNothingElse(Run run) throws IOException, InterruptedException {
        Application application = new Application(run.jdk(), "plain", directory);
        assertThat(application.compile("Snippet", snippet()).err()).isEmpty();
        Path copy = directory.resolve("copy");

        Application.Said said = application.run(run.options(), "Snippet", arguments("snippet"));

        assertThat(said.err()).isEmpty();
        assertThat(said.out()).matches(SIZE + " bytes, won by \\{.*}\\R");
        assertThat(said.exitCode()).isZero();
        assertThat(copy).hasSameBinaryContentAs(source);
    }

    @Test
    void anApplicationsOwnProviderGetsTheLogs() throws IOException, InterruptedException {
        Application application = new Application(Jdk.all().get(0), "plain", directory, logback());
        assertThat(application.compile("Snippet", snippet()).err()).isEmpty();

        Application.Said said = application.run(List.of(), "Snippet", arguments("snippet"));

        assertThat(said.err()).isEmpty();
        assertThat(said.out()).contains(" DEBUG ");
    }

    /** The client silences only the message about a missing provider, not warnings about the application's logging. */
    @Test
    void logApiStillWarnsOfTwoProviders() throws IOException, InterruptedException {
        Path second = Files.createDirectories(directory.resolve("second/META-INF/services"))
                .resolve("org.slf4j.spi.SLF4JServiceProvider");
        Files.writeString(second, "SecondProvider");
        Application application = new Application(
                Jdk.all().get(0),
                "plain",
                directory,
                logback(),
                directory.resolve("second").toString());
        assertThat(application.compile("Snippet", snippet()).err()).isEmpty();
        assertThat(application
                        .compile("SecondProvider", program("SecondProvider.java"))
                        .err())
                .isEmpty();

        Application.Said said = application.run(List.of(), "Snippet", arguments("snippet"));

        assertThat(said.err()).contains("multiple SLF4J providers");
    }

    private List<String> arguments(String name) {
        return List.of(
                fleet.coordinatorAddress(),
                "data:/" + name,
                source.toString(),
                directory.resolve("copy").toString());
    }

    /** Returns the Logback jar of this module's own class path. */
    private static String logback() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(jar -> jar.contains("logback-classic") || jar.contains("logback-core"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The limit is less than both files together: freed buffers are reused and do not count. */
    @ParameterizedTest
    @MethodSource("jdks")
    void manyClientsInTurnFitIntoLittleDirectMemory(Jdk jdk) throws IOException, InterruptedException {
        assertManyClientsFit(new Run(jdk, List.of()));
    }

    @ParameterizedTest
    @MethodSource("runs")
    @Tag("full")
    void manyClientsInTurnFitWithEachOptionOfTheJdk(Run run) throws IOException, InterruptedException {
        assertManyClientsFit(run);
    }

    private void assertManyClientsFit(Run run) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(run.options());
        options.addAll(List.of("-Xmx128m", "-XX:MaxDirectMemorySize=96m"));
        Application application = new Application(run.jdk(), "plain", directory);
        assertThat(application.compile("Turns", program("Turns.java")).err()).isEmpty();

        Application.Said said = application.run(options, "Turns", arguments("turns"));

        assertThat(said.err()).isEmpty();
        assertThat(said.out()).isEqualTo("12 clients\n");
        assertThat(said.exitCode()).isZero();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aClosedClientLeavesNoThread(Jdk jdk) throws IOException, InterruptedException {
        Application application = new Application(jdk, "plain", directory);
        assertThat(application
                        .compile("ThreadsLeft", program("ThreadsLeft.java"))
                        .err())
                .isEmpty();

        Application.Said said = application.run(List.of(), "ThreadsLeft", arguments("threads"));

        assertThat(said.err()).isEmpty();
        assertThat(said.out()).matches("there were [1-9][0-9]* threads of the client\\Rleft: \\[]\\R");
        assertThat(said.exitCode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "bom"})
    void anApplicationGetsOneVersionOfNettyOfGrpcAndOfProtobuf(String project) throws IOException {
        List<String> classPath = Application.classPath(project);

        assertThat(versions(classPath, "io.netty", "io/netty")).hasSize(1);
        assertThat(versions(classPath, "io.grpc", "io/grpc")).hasSize(1);
        assertThat(versions(classPath, "com.google.protobuf", "com/google/protobuf"))
                .hasSize(1);
        assertThat(classPath).noneMatch(jar -> jar.contains("/picocli/") || jar.contains("/software/amazon/"));
    }

    @Test
    void anApplicationGetsFewerThan38Jars() throws IOException {
        assertThat(Application.classPath("plain")).hasSizeLessThan(38);
    }

    /**
     * Returns the distinct versions of the artifacts of one group: {@code
     * .../io/netty/netty-common/4.2.18.Final/netty-common-4.2.18.Final.jar}.
     */
    private static List<String> versions(List<String> classPath, String group, String path) {
        Pattern place = Pattern.compile(".*/" + path + "/[^/]+/([^/]+)/[^/]+\\.jar");
        List<String> found = classPath.stream()
                .flatMap(jar -> place.matcher(jar).results())
                .map(match -> match.group(1))
                .distinct()
                .toList();
        assertThat(found).as(group).isNotEmpty();
        return found;
    }

    /** Returns the README's snippet as a program. */
    private static String snippet() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        List<String> blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(readme)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
        assertThat(blocks)
                .as("the imports, the snippet, a test with the test kit")
                .hasSize(3);
        String body = blocks.get(1).lines().map(line -> "    " + line).collect(Collectors.joining("\n"));
        return blocks.get(0) + "\npublic final class Snippet {\n" + body
                + "\n    public static void main(String[] args) {\n"
                + "        putAndGet(args[0], args[1], Path.of(args[2]), Path.of(args[3]));\n    }\n}\n";
    }

    private static String program(String name) throws IOException {
        return Files.readString(Path.of("consumer", "programs", name));
    }
}
