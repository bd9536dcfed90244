package io.cloudmw.coordinator.catalog.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Test of a process that writes with many threads and is killed meanwhile. */
final class SqliteCrashTest {
    private static final int ACKNOWLEDGED = 2_000;

    @TempDir
    private Path directory;

    @Test
    @Timeout(120)
    void driverFilesOfAKilledProcessAreRemovedByTheNext() throws Exception {
        Path file = directory.resolve("catalog.db");
        Set<Path> left = Set.of();
        for (int i = 0; i < 3; i++) {
            Process process = scribe(file);
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                assertThat(lines.readLine()).isNotNull();
            } finally {
                process.destroyForcibly().waitFor();
            }
            try (Stream<Path> files = Files.list(directory.resolve("driver"))) {
                Set<Path> now = files.collect(Collectors.toSet());
                assertThat(now).as("the library, and the driver's mark of it").hasSize(2);
                assertThat(Collections.disjoint(now, left)).isTrue();
                left = now;
            }
        }
    }

    @Test
    @Timeout(120)
    void concurrentAcknowledgedChangesSurviveAKill() throws Exception {
        Path file = directory.resolve("catalog.db");
        List<String> acknowledged = new ArrayList<>();
        Process process = scribe(file);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (int i = 0; i < ACKNOWLEDGED; i++) {
                String line = lines.readLine();
                assertThat(line).isNotNull();
                acknowledged.add(line);
            }
        } finally {
            process.destroyForcibly().waitFor();
        }

        try (Catalog catalog = SqliteCatalog.open(file)) {
            Set<String> kept =
                    catalog.stores().stream().map(store -> store.id().value()).collect(Collectors.toSet());
            assertThat(kept).containsAll(acknowledged);
        }
    }

    private static Process scribe(Path file) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Scribe.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The writing process: adds stores as long as it lives, and prints each when it is durable. */
    static final class Scribe {
        private static final int THREADS = 16;

        private Scribe() {}

        public static void main(String[] arguments) throws Exception {
            Catalog catalog = SqliteCatalog.open(Path.of(arguments[0]));
            for (int i = 0; i < THREADS; i++) {
                String prefix = "s" + i + "-";
                new Thread(() -> write(catalog, prefix)).start();
            }
        }

        private static void write(Catalog catalog, String prefix) {
            try {
                for (int i = 0; ; i++) {
                    String id = prefix + i;
                    catalog.putStore(new Store(new StoreId(id), "d", new Store.S3("b", "eu-west-1", "", false, "")));
                    System.out.println(id);
                }
            } catch (CloudMwException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
