package io.cloudmw.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.hadoop.contract.VolumeContract;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** The jar that users put beside Hadoop. */
final class ShadedJarIT {
    private static final String SHADED = "io/cloudmw/hadoop/shaded/";
    private static final Path JAR = Path.of(System.getProperty("cloudmw.shaded-jar", "target/missing.jar"));

    private static JarFile jar;

    @TempDir
    Path directory;

    @BeforeAll
    static void open() throws IOException {
        jar = new JarFile(JAR.toFile());
    }

    @AfterAll
    static void close() throws IOException {
        jar.close();
    }

    private static List<String> names() {
        return jar.stream().map(JarEntry::getName).toList();
    }

    private static String text(String name) throws IOException {
        return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void everyClassIsOursOrHasAnotherName() {
        List<String> classes =
                names().stream().filter(name -> name.endsWith(".class")).toList();
        assertThat(classes).contains("io/cloudmw/hadoop/CloudMwFileSystem.class", "io/cloudmw/client/CloudMw.class");
        assertThat(classes).anyMatch(name -> name.startsWith(SHADED + "io/netty/"));
        assertThat(classes).anyMatch(name -> name.startsWith(SHADED + "com/google/protobuf/"));
        assertThat(classes.stream()
                        .map(name -> name.replaceFirst("^META-INF/versions/\\d+/", ""))
                        .filter(name -> !name.startsWith("io/cloudmw/")))
                .isEmpty();
    }

    @Test
    void everyServiceAndItsProvidersAreThere() throws IOException {
        List<String> services = names().stream()
                .filter(name -> name.startsWith("META-INF/services/") && !name.endsWith("/"))
                .toList();
        assertThat(services)
                .contains(
                        "META-INF/services/org.apache.hadoop.fs.FileSystem",
                        "META-INF/services/java.nio.file.spi.FileSystemProvider",
                        "META-INF/services/io.cloudmw.hadoop.shaded.io.grpc.NameResolverProvider");
        for (String service : services) {
            for (String provider : text(service).lines().toList()) {
                if (!provider.isBlank() && !provider.startsWith("#")) {
                    assertThat(jar.getEntry(provider.strip().replace('.', '/') + ".class"))
                            .as(service + ": " + provider)
                            .isNotNull();
                }
            }
        }
    }

    @Test
    void nativeLibrariesHaveTheNamesThatTheRenamedClassesLookFor() {
        assertThat(names().stream().filter(name -> name.startsWith("META-INF/native/") && !name.endsWith("/")))
                .contains(
                        "META-INF/native/libio_cloudmw_hadoop_shaded_netty_transport_native_epoll_x86_64.so",
                        "META-INF/native/libio_cloudmw_hadoop_shaded_netty_transport_native_epoll_aarch_64.so")
                .allMatch(name -> name.startsWith("META-INF/native/libio_cloudmw_hadoop_shaded_"));
    }

    private static String place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    /** The jars of Hadoop that the tests have. */
    private static List<String> presentHadoop() throws URISyntaxException {
        assertThat(place(Configuration.class)).isEqualTo(place(FileSystem.class));
        return List.of(place(FileSystem.class), place(org.apache.hadoop.shaded.com.ctc.wstx.io.WstxInputData.class));
    }

    /** Runs a program that has this jar, these jars of Hadoop, and nothing else. */
    private String run(List<String> hadoop) throws Exception {
        Path classes = directory.resolve("io/cloudmw/hadoop");
        Files.createDirectories(classes);
        String program = ShadedProgram.class.getSimpleName() + ".class";
        Files.copy(Path.of(place(ShadedProgram.class), "io/cloudmw/hadoop", program), classes.resolve(program));
        List<String> path = new ArrayList<>(hadoop);
        path.add(0, JAR.toAbsolutePath().toString());
        path.add(place(Logger.class));
        path.add(directory.toString());
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                String.join(File.pathSeparator, path),
                ShadedProgram.class.getName(),
                VolumeContract.ROOT + "/shaded");
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).as(Files.readString(output)).isZero();
        return Files.readString(output);
    }

    @Test
    void jarBesideHadoopsOwnIsAllThatAProgramNeeds() throws Exception {
        assertThat(run(presentHadoop()))
                .contains("hadoop: 3.5.", "read: 1048576", "ranges: 100 200", "listed: 1", "epoll: true");
    }

    @Test
    void jarWorksBesideTheOldestHadoopThatItIsFor() throws Exception {
        List<String> hadoop;
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("cloudmw.oldest-hadoop", "missing")))) {
            hadoop = jars.map(Path::toString).toList();
        }
        assertThat(run(hadoop))
                .contains(
                        "hadoop: " + System.getProperty("cloudmw.oldest-hadoop-version"),
                        "read: 1048576",
                        "ranges: 100 200",
                        "listed: 1",
                        "epoll: true");
    }
}
